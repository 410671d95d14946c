import type { ComponentType } from 'preact';
import type { IconName } from './icons.ts';

export type ViewComponent = ComponentType<{ parameters: (string | undefined)[] }>;

/** A view of the console. */
export interface View {
  title: string;
  /** Matches the paths of the view below that of the console; its groups are the parameters. */
  path: RegExp;
  /** Where the navigation leads to, and its icon; absent for views that others lead to. */
  href?: string;
  icon?: IconName;
  /** The key that leads to it after `g`. */
  shortcut?: string;
  /** Whether it needs the key of the operator in place of that of a team. */
  isForOperator?: true;
  /** Loads its code, which a user who never opens it need not wait for. */
  load: () => Promise<ViewComponent>;
}

/** All views, in the order of the navigation. A new one is a record here. */
export const VIEWS: View[] = [
  {
    title: 'Playground',
    path: /^\/(?:try\/([\w-]+))?$/,
    href: '',
    icon: 'playground',
    shortcut: 'p',
    load: async () => (await import('./playground/playground.ts')).Playground,
  },
  {
    title: 'Jobs',
    path: /^\/jobs$/,
    href: '/jobs',
    icon: 'jobs',
    shortcut: 'j',
    load: async () => (await import('./jobs/job-list.ts')).JobList,
  },
  {
    title: 'Monitors',
    path: /^\/monitors$/,
    href: '/monitors',
    icon: 'monitors',
    shortcut: 'm',
    load: async () => (await import('./monitors/monitor-list.ts')).MonitorList,
  },
  {
    title: 'Sessions',
    path: /^\/sessions$/,
    href: '/sessions',
    icon: 'sessions',
    shortcut: 's',
    load: async () => (await import('./sessions/sessions.ts')).Sessions,
  },
  {
    title: 'Usage',
    path: /^\/usage$/,
    href: '/usage',
    icon: 'usage',
    shortcut: 'u',
    load: async () => (await import('./usage/usage.ts')).UsageView,
  },
  {
    title: 'Webhooks',
    path: /^\/webhooks$/,
    href: '/webhooks',
    icon: 'webhooks',
    shortcut: 'w',
    load: async () => (await import('./webhooks/webhooks.ts')).Webhooks,
  },
  {
    title: 'Operator',
    path: /^\/operator$/,
    href: '/operator',
    icon: 'operator',
    shortcut: 'o',
    isForOperator: true,
    load: async () => (await import('./operator/operator.ts')).Operator,
  },
  {
    title: 'Team',
    path: /^\/operator\/teams\/([^/]+)$/,
    isForOperator: true,
    load: async () => (await import('./operator/team.ts')).TeamView,
  },
  {
    title: 'Job',
    path: /^\/jobs\/([a-z_]+)\/([\w-]+)$/,
    load: async () => (await import('./jobs/job.ts')).JobView,
  },
  {
    title: 'Monitor',
    path: /^\/monitors\/([\w-]+)$/,
    load: async () => (await import('./monitors/monitor.ts')).MonitorView,
  },
  {
    title: 'Page',
    path: /^\/monitors\/([\w-]+)\/page$/,
    load: async () => (await import('./monitors/page-history.ts')).PageHistory,
  },
  {
    title: 'Check',
    path: /^\/monitors\/([\w-]+)\/checks\/([\w-]+)$/,
    load: async () => (await import('./monitors/check.ts')).CheckView,
  },
];
