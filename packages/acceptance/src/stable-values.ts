/** What differs between two runs of the same calls, and what is secret, replaced in the bodies of one call. */

/** @returns replaces values; it knows those of earlier bodies, so that an id in a reply is that of the request. */
export function stableValues(): (body: unknown) => unknown {
  const ids = new Map<string, string>();
  const idFor = (id: string): string => {
    const known = ids.get(id) ?? `01900000-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(id, known);
    return known;
  };
  const stable = (value: unknown, name: string): unknown => {
    // It is written a while after the use.
    if (name === 'last_used_at') return now;
    if (typeof value === 'string') return stableText(value, name, idFor);
    if (typeof value === 'number') return numbers[name] ?? value;
    if (Array.isArray(value)) return value.map((element) => stable(element, name));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([key, member]) => [key, stable(member, key)]);
    return {
      ...Object.fromEntries(members),
      ...('done' in value && 'total' in value ? { done: 200, total: 201 } : {}),
      ...('metric' in value && 'value' in value ? { value: 12 } : {}),
    };
  };
  return (body) => stable(body, '');
}

/** Measures of a run, by the names of their members. */
const numbers: Readonly<Record<string, number>> = {
  ms: 12,
  p50_ms: 0.5,
  p99_ms: 2.5,
  max_ms: 12,
  bytes: 1_048_576,
  free_bytes: 53_687_091_200,
  needed_bytes: 1_048_576,
  resident_bytes: 134_217_728,
  heap_used_bytes: 33_554_432,
  data_bytes: 1_048_576,
  log_bytes: 1_048_576,
  version: 7,
  records: 1000,
  decisions: 24,
  stands_for: 60,
  entries: 12,
  verified: 12,
  waiting: 0,
  iat: 1_769_851_800,
  exp: 1_769_852_100,
  until: 1_769_938_200_000,
};

/** Texts that are always the same, by the names of their members. */
const texts: Readonly<Record<string, string>> = {
  password: 'EXAMPLE-PASSWORD',
  current_password: 'EXAMPLE-PASSWORD',
  new_password: 'EXAMPLE-PASSWORD-2',
  host: 'node-1',
};

const now = '2026-01-31T09:30:00.000Z';
const later = '2026-02-01T09:30:00.000Z';

function stableText(text: string, name: string, idFor: (id: string) => string): string {
  const fixed = texts[name];
  if (fixed !== undefined) return fixed;
  if (name === 'version' && /^\d+$/.test(text)) return '7';
  const time = /expires|until|resets|next/.test(name) ? later : now;
  const dated = text.replaceAll(timePattern, time).replace(dayPattern, now.slice(0, 10));
  const withIds = dated.replaceAll(idPattern, (id) => idFor(id));
  const stable = replaced.reduce((result, [pattern, by]) => result.replaceAll(pattern, by), withIds);
  const safe = stable.replaceAll(secretPattern, (_, prefix: string, secret: string) => prefix + placeholder(secret));
  return safe === stable && isOpaque(safe) ? placeholder(safe) : safe;
}

const timePattern = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const dayPattern = /^\d{4}-\d\d-\d\d$/;
const idPattern = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Codes and keys, by what is in front of them. */
const secretPattern =
  /((?<![\w-])(?:fm|fhk_test|fhk_prod|fhd|oi|whsec|test|prod|d)_|#[\w-]+=(?:[\w-]+\.[\w-]+\.)?)([\w+/=-]{16,})/g;

const replaced: readonly (readonly [pattern: RegExp, by: string])[] = [
  // Secrets of authenticator apps, and recovery codes.
  [/\b[A-Z2-7]{32}\b/g, 'EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAM'],
  [/\b(?:[0-9a-z]{5}-){3}[0-9a-z]{5}\b/g, 'xxxxx-xxxxx-xxxxx-xxxxx'],
  [/\bo[0-9a-f]{12}\b/g, 'example'],
  [/\bother[0-9a-z]{6}\b/g, 'other'],
  [/(?<=[a-z])-[0-9a-f]{12}\b/g, ''],
  [/http:\/\/(?:127\.0\.0\.1|localhost):\d+/g, 'https://freehold.example.com'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:8080'],
  [/\b[0-9a-f]{64}\b/g, '0'.repeat(64)],
  [/^\d{6}$/g, '123456'],
  [/^(?=[a-z-]*[A-Z0-9_])[\w-]{10}-[0-9a-z]{1,4}$/g, 'EXAMPLE-1'],
  [/(?:\/[\w.-]+)+\/freehold-acceptance-\w+/g, '/var/lib/freehold'],
  [/\b\d+ calls of\b/g, '60 calls of'],
  [/^"\d+"$/g, '"7"'],
  [/\b\d+ MB\b/g, '51200 MB'],
  [/\bfreehold-\d{8}T\d{9}Z\b/g, 'freehold-20260131T093000000Z'],
];

/** A random text or one that is encoded: long, without spaces, and of all sorts of letters. */
function isOpaque(text: string): boolean {
  const capitals = text.match(/[A-Z]/g)?.length ?? 0;
  return (
    /^(?!freehold-)[A-Za-z0-9_.-]{20,}$/.test(text) &&
    /[a-z]/.test(text) &&
    capitals > 0 &&
    (capitals > 3 || /\d/.test(text))
  );
}

/** Of the length of a secret, since some have one length alone, but for those that are very long. */
function placeholder(secret: string): string {
  return 'EXAMPLE'.repeat(7).slice(0, Math.min(secret.length, 43));
}
