import { type Logger, pino } from 'pino';

export interface OpenedLog {
  readonly log: Logger;
  /** Takes whole lines of which there are many: they wait a moment, until there are some of them. */
  readonly write: (line: string) => void;
  /** Writes what waits. */
  readonly flush: () => void;
}

/** JSON lines on standard error, in the order in which they were told. What tells of a fault is written at once. */
export function openLog(level: string): OpenedLog {
  const destination = pino.destination({ fd: 2, sync: true });
  const lines = gatherLines((text) => void destination.write(text));
  const stream = {
    write: (line: string): void => {
      lines.flush();
      destination.write(line);
    },
  };
  return { log: pino({ level, base: null }, stream), ...lines };
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
