import { type Kysely, sql } from 'kysely';

/**
 * Takes one of a team's slots, in one call: while a client would lock the team, ask and commit, all other
 * scrapes of the team would wait for it. Each statement of the function sees what was committed before it, so
 * also what held the lock.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function take_slot(slot_team uuid, slot_holder text, max_slots integer, lease_time interval, wait_time interval)
    returns text language plpgsql as $$
    begin
      perform from teams where id = slot_team for no key update;
      update slots set expires_at = now() + lease_time
        where team_id = slot_team and holder = slot_holder and expires_at > now();
      if found then return 'held'; end if;
      if max_slots > (select count(*) from slots where team_id = slot_team and expires_at > now())
        + (select count(*) from pages where team_id = slot_team and status = 'claimed')
      then
        insert into slots (team_id, ordinal, holder, expires_at)
          select slot_team, ordinals.ordinal, slot_holder, now() + lease_time
          from generate_series(1, max_slots) as ordinals (ordinal)
          where not exists (
            select from slots
            where team_id = slot_team and slots.ordinal = ordinals.ordinal and expires_at > now())
          order by random() limit 1
          on conflict (team_id, ordinal) do update
            set holder = excluded.holder, expires_at = excluded.expires_at
            where slots.expires_at <= now();
        if found then return 'taken'; end if;
      end if;
      insert into slot_waits (team_id, holder, expires_at) values (slot_team, slot_holder, now() + wait_time)
        on conflict (team_id, holder) do update set expires_at = excluded.expires_at;
      return null;
    end $$`.execute(db);
}
