import { type Logger, pino } from 'pino';

export interface OpenedLog {
  readonly log: Logger;
  /** Takes whole lines of which there are many: they wait a moment, until there are some of them. */
  readonly write: (line: string) => void;
  /** Writes what waits. */
  readonly flush: () => void;
}

/** Lines on standard error, in the order in which they were written. A line about a fault is written at once. */
export function openLog(level: string, format: 'json' | 'text'): OpenedLog {
  const destination = pino.destination({ fd: 2, sync: true });
  const lines = gatherLines((text) => void destination.write(text));
  const stream = {
    write: (line: string): void => {
      lines.flush();
      destination.write(format === 'text' ? textOf(line) : line);
    },
  };
  return { log: pino({ level, base: null }, stream), ...lines };
}

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly err?: { readonly message: string; readonly stack?: string };
  readonly request_id?: string;
}

/** A line of the JSON log as a person reads it: ordinary lines as they are, others with their level and their cause. */
function textOf(line: string): string {
  const { level, msg, err, request_id } = JSON.parse(line) as LogLine;
  const label = level > 30 ? `${pino.levels.labels[level] ?? level}: ` : '';
  const request = request_id === undefined ? '' : ` (request ${request_id})`;
  const cause = err === undefined ? '' : `\n${err.stack ?? err.message}`;
  return `${label}${msg}${request}${cause}\n`;
}

/** A write costs as much as several lines do. A pipe takes so many bytes without mixing them with those of others. */
const waitingMax = 4096;
const waitMilliseconds = 200;

function gatherLines(write: (text: string) => void): Pick<OpenedLog, 'write' | 'flush'> {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting !== '') write(waiting);
    waiting = '';
  };
  return {
    flush,
    write: (line) => {
      if (waiting.length + line.length > waitingMax) flush();
      waiting += line;
      timer ??= setTimeout(flush, waitMilliseconds).unref();
    },
  };
}
