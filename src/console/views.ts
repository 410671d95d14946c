import type { ComponentType } from 'preact';
import type { IconName } from './icons.ts';
import { JobView } from './jobs/job.ts';
import { JobList } from './jobs/job-list.ts';
import { CheckView } from './monitors/check.ts';
import { MonitorView } from './monitors/monitor.ts';
import { MonitorList } from './monitors/monitor-list.ts';
import { PageHistory } from './monitors/page-history.ts';
import { Operator } from './operator/operator.ts';
import { TeamView } from './operator/team.ts';
import { Playground } from './playground/playground.ts';
import { Sessions } from './sessions/sessions.ts';
import { UsageView } from './usage/usage.ts';
import { Webhooks } from './webhooks/webhooks.ts';

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
  component: ComponentType<{ parameters: (string | undefined)[] }>;
}

/** All views, in the order of the navigation. A new one is a record here. */
export const VIEWS: View[] = [
  {
    title: 'Playground',
    path: /^\/(?:try\/([\w-]+))?$/,
    href: '',
    icon: 'playground',
    shortcut: 'p',
    component: Playground,
  },
  { title: 'Jobs', path: /^\/jobs$/, href: '/jobs', icon: 'jobs', shortcut: 'j', component: JobList },
  {
    title: 'Monitors',
    path: /^\/monitors$/,
    href: '/monitors',
    icon: 'monitors',
    shortcut: 'm',
    component: MonitorList,
  },
  {
    title: 'Sessions',
    path: /^\/sessions$/,
    href: '/sessions',
    icon: 'sessions',
    shortcut: 's',
    component: Sessions,
  },
  { title: 'Usage', path: /^\/usage$/, href: '/usage', icon: 'usage', shortcut: 'u', component: UsageView },
  {
    title: 'Webhooks',
    path: /^\/webhooks$/,
    href: '/webhooks',
    icon: 'webhooks',
    shortcut: 'w',
    component: Webhooks,
  },
  {
    title: 'Operator',
    path: /^\/operator$/,
    href: '/operator',
    icon: 'operator',
    shortcut: 'o',
    isForOperator: true,
    component: Operator,
  },
  { title: 'Team', path: /^\/operator\/teams\/([^/]+)$/, isForOperator: true, component: TeamView },
  { title: 'Job', path: /^\/jobs\/([a-z_]+)\/([\w-]+)$/, component: JobView },
  { title: 'Monitor', path: /^\/monitors\/([\w-]+)$/, component: MonitorView },
  { title: 'Page', path: /^\/monitors\/([\w-]+)\/page$/, component: PageHistory },
  { title: 'Check', path: /^\/monitors\/([\w-]+)\/checks\/([\w-]+)$/, component: CheckView },
];
