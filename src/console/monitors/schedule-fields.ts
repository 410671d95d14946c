import { html } from 'htm/preact';

/** A schedule as requests contain it. */
export interface ScheduleRequest {
  text?: string;
  cron?: string;
  timezone: string;
}

const EXAMPLES = ['every 30 minutes', 'hourly', 'every 6 hours', 'daily at 9:00', 'weekly'];

/** The schedule that a form with {@link ScheduleFields} has. */
export function scheduleOf(form: FormData): ScheduleRequest {
  const schedule = String(form.get('schedule') ?? '').trim();
  const timezone = String(form.get('timezone') ?? '').trim();
  // No schedule in words begins with a digit; the minutes of a cron expression begin so, or with a star.
  return { ...(/^[\d*@]/.test(schedule) ? { cron: schedule } : { text: schedule }), timezone };
}

/** The fields of a schedule: in words or as a cron expression, and its time zone. */
export const ScheduleFields = ({ schedule, timezone }: { schedule: string; timezone: string }) => html`
  <label>Schedule
    <input name="schedule" required list="schedules" defaultValue=${schedule} placeholder="daily at 9:00, or cron" />
  </label>
  <datalist id="schedules">${EXAMPLES.map((text) => html`<option value=${text} />`)}</datalist>
  <label>Time zone
    <input name="timezone" required list="timezones" defaultValue=${timezone} placeholder="Europe/Berlin" />
  </label>
  <datalist id="timezones">${['UTC', ...Intl.supportedValuesOf('timeZone')].map((name) => html`<option value=${name} />`)}</datalist>`;
