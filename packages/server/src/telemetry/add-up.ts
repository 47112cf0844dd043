/**
 * The metrics of several threads as those of one process: counts are added up; of what says how the process is, each
 * thread says the same, and of a delay the greatest counts.
 * @param texts as `Metrics.text` gives them, of threads that count the same families.
 */
export function addUpMetrics(texts: readonly string[]): string {
  const values = new Map<string, number>();
  const lines = new Map<string, Set<string>>();
  let family = '';
  let join = sum;
  for (const text of texts)
    for (const line of text.split('\n').filter((one) => one !== '')) {
      const words = line.split(' ');
      if (line.startsWith('# ')) {
        family = words[2] ?? '';
        if (words[1] === 'TYPE') join = joinOf(family, words[3] ?? '');
      }
      const ofFamily = lines.get(family) ?? new Set();
      lines.set(family, ofFamily);
      if (line.startsWith('#')) {
        ofFamily.add(line);
        continue;
      }
      const end = line.lastIndexOf(' ');
      const name = line.slice(0, end);
      ofFamily.add(name);
      const value = Number(line.slice(end + 1));
      const before = values.get(name);
      values.set(name, before === undefined ? value : join(before, value));
    }
  const shown = lines
    .values()
    .flatMap((ofFamily) => [...ofFamily].map((line) => (line.startsWith('#') ? line : `${line} ${values.get(line)}`)));
  return `${[...shown].join('\n')}\n`;
}

const sum = (one: number, other: number): number => one + other;

/** What the main thread counts for all, each worker shows. */
const ofAll = /^(?:process_|freehold_backup_)/;

function joinOf(family: string, type: string): (one: number, other: number) => number {
  // A node is as ready as the least ready of its workers.
  if (family === 'freehold_ready') return Math.min;
  const isHeap = family === 'nodejs_heap_size_used_bytes';
  return !isHeap && (type === 'gauge' || ofAll.test(family)) ? Math.max : sum;
}
