/** PostgreSQL takes payloads of less than 8000 bytes. */
const MAX_PAYLOAD_CHARACTERS = 7_000;

/**
 * For a SELECT: notifies the processes that listen to a channel, after the commit. `ids`: an SQL text of ids with
 * commas between them; null notifies nobody. More ids than a notification can hold are sent as none: everybody looks.
 */
export function notify(channel: string, ids: string): string {
  return `case when ${ids} is not null then
    pg_notify('${channel}', case when length(${ids}) <= ${MAX_PAYLOAD_CHARACTERS} then ${ids} else '' end)
  end`;
}

/** The ids of a notification; null: it may be about any. */
export function readNotification(payload: string): string[] | null {
  return payload === '' ? null : payload.split(',');
}
