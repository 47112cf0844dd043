/** The parts of an exported log: the last line of a part that is not the last one says how to go on. */

type Format = 'csv' | 'jsonl';

const action = 'audit.export_continues';

/** The token for the next part; undefined where this is the last one. */
export function continuationOf(format: Format, text: string): string | undefined {
  const line = lastLine(text);
  if (!line.includes(action)) return undefined;
  const detail = format === 'csv' ? detailOfCsv(line) : detailOfJson(line);
  const { nexttoken } = detail as { readonly nexttoken?: unknown };
  return typeof nexttoken === 'string' ? nexttoken : undefined;
}

/** What belongs into the whole file: its first line once, and nothing about parts. */
export function withoutContinuation(
  format: Format,
  text: string,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): string {
  const end = isLast ? text.length : text.trimEnd().lastIndexOf('\n') + 1;
  const start = format === 'csv' && !isFirst ? text.indexOf('\n') + 1 : 0;
  return text.slice(start, end);
}

function lastLine(text: string): string {
  const whole = text.trimEnd();
  return whole.slice(whole.lastIndexOf('\n') + 1);
}

/** The column `action` is the fourth, and none before it has a comma; `detail` is the last one. */
function detailOfCsv(line: string): unknown {
  if (line.split(',')[3] !== action) return {};
  const [, quoted = '{}'] = /"(\{.*\})"$/.exec(line) ?? [];
  return JSON.parse(quoted.replaceAll('""', '"'));
}

function detailOfJson(line: string): unknown {
  const entry = JSON.parse(line) as { readonly action?: string; readonly detail?: unknown };
  return entry.action === action ? (entry.detail ?? {}) : {};
}
