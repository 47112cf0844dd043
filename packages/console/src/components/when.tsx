const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** A time as a person says it, with the exact one behind it. `at` is RFC 3339. */
export function When({ at }: { readonly at: string }) {
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  const [unit, length] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return (
    <time dateTime={at} title={at.replace('T', ' ').replace(/(\.\d+)?Z$/, ' UTC')}>
      {relative.format(Math.round(seconds / length), unit)}
    </time>
  );
}
