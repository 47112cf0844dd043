/** A time as the clocks of a zone show it, such as “Mon, 30 Nov 2026, 02:30”. In UTC where the browser does not know the zone. */
export function localTime(at: string, timezone: string): string {
  const options = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  } as const;
  const time = new Date(at);
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: timezone }).format(time);
  } catch {
    return `${new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(time)} UTC`;
  }
}
