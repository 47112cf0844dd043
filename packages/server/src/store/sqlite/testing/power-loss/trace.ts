/** What a process asked of its files, in the order of asking, as `strace -f -y -xx` tells it. */
export type TraceEvent =
  | { readonly kind: 'write'; readonly path: string; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly path: string; readonly size: number }
  /** A sync covers what was written before it began, and holds from when it has ended. */
  | { readonly kind: 'sync-begun'; readonly path: string; readonly thread: string }
  | { readonly kind: 'synced'; readonly path: string; readonly thread: string }
  /** What the process said on standard output. */
  | { readonly kind: 'said'; readonly text: string };

/** Calls that a store in WAL mode changes its files by, and those that would go round the model. */
export const tracedCalls = 'write,writev,pwrite64,pwritev,ftruncate,truncate,fsync,fdatasync,unlink,unlinkat,rename';

/** Events of the files whose path begins with `prefix`. Throws at a call that the model does not know. */
export function readTrace(trace: string, prefix: string): readonly TraceEvent[] {
  const events: TraceEvent[] = [];
  /** The arguments of calls that have not ended, by thread. */
  const started = new Map<string, Call>();
  for (const line of trace.split('\n')) {
    const resumed = /^(\d+) +<\.\.\. \w+ resumed>/.exec(line)?.[1];
    if (resumed !== undefined) {
      const call = started.get(resumed);
      if (call !== undefined) events.push(...afterwards(call));
      continue;
    }
    const call = readCall(line);
    if (call === undefined || !(call.path.startsWith(prefix) || call.isOutput)) continue;
    events.push(...atOnce(call));
    if (line.endsWith('<unfinished ...>')) started.set(call.thread, call);
    else events.push(...afterwards(call));
  }
  return events;
}

interface Call {
  readonly thread: string;
  readonly name: string;
  readonly path: string;
  readonly isOutput: boolean;
  readonly rest: string;
}

function readCall(line: string): Call | undefined {
  const [, thread, name, file, path, rest] = /^(\d+) +(\w+)\((\d+)<([^>]*)>(.*)$/s.exec(line) ?? [];
  if (thread === undefined || name === undefined || path === undefined || rest === undefined) return undefined;
  return { thread, name, path: decode(path).toString(), isOutput: file === '1' && name === 'write', rest };
}

function atOnce({ name, path, isOutput, rest, thread }: Call): readonly TraceEvent[] {
  if (isOutput) return [{ kind: 'said', text: quoted(rest).toString() }];
  if (name === 'fsync' || name === 'fdatasync') return [{ kind: 'sync-begun', path, thread }];
  if (name === 'ftruncate') return [{ kind: 'truncate', path, size: Number(/^, (\d+)/.exec(rest)?.[1]) }];
  if (name === 'pwrite64') {
    const at = Number(/", \d+, (\d+)/.exec(rest)?.[1]);
    return [{ kind: 'write', path, at, bytes: quoted(rest) }];
  }
  throw new Error(`the store calls \`${name}\`, which the model of the disk does not know`);
}

function afterwards({ name, path, thread }: Call): readonly TraceEvent[] {
  return name === 'fsync' || name === 'fdatasync' ? [{ kind: 'synced', path, thread }] : [];
}

function quoted(rest: string): Buffer {
  const text = /^, "([^"]*)"(\.\.\.)?/.exec(rest);
  if (text?.[1] === undefined || text[2] !== undefined) throw new Error('the trace does not hold all that was written');
  return decode(text[1]);
}

function decode(text: string): Buffer {
  return text.startsWith('\\x') ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text);
}
