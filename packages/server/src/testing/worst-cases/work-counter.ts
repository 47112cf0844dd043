/**
 * Counts the work of the platform in this process: how often V8 went through each block of its code (functions, bodies
 * of loops, branches), and the characters that JSON and regular expressions went through inside of V8, where no block is
 * counted. The counts are those of the code and its input alone, whatever else the machine does, and need nothing in the
 * code that is counted.
 */
import { type Profiler, Session } from 'node:inspector';
import { turnMax } from './bounds.ts';
import { type CharacterCount, countCharacters } from './native-characters.ts';

export interface Work {
  /** Blocks that were gone through. */
  readonly steps: number;
  /** Characters that were read or written by JSON and regular expressions. */
  readonly characters: number;
}

export interface MeasuredWork {
  readonly whole: Work;
  /** The most in one turn of the event loop: as long everybody else waits. */
  readonly longestTurn: Work;
  /** Where the most steps were, for a reader of a failure. */
  readonly busiest: string;
}

export interface WorkCounter {
  /** Work of the platform until the promise is kept. `isByTurn` looks at each turn of the event loop, which takes longer. */
  measure(send: () => Promise<unknown>, options: { readonly isByTurn: boolean }): Promise<MeasuredWork>;
  stop(): void;
}

const source = new URL('../..', import.meta.url).href;
/** What the platform has from others is its work too. */
const packages = /\/node_modules\/(?!undici|fast-check)/;
const planted = new URL('./planted-work.ts', import.meta.url).href;
/** Tests, and the store that is no store of an operator. */
const uncounted = ['testing/', 'store/committing/group-committer'];

/** To be called before the modules are loaded that are to be counted: what has run before counts by function alone. */
export function startWorkCounter(): WorkCounter {
  const session = new Session();
  session.connect();
  const post = <Answer>(method: string, given: object = {}): Answer => ask<Answer>(session, method, given);
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const characters = countCharacters();
  const take = (): WorkSample => ({
    ...stepsOf(post<Profiler.TakePreciseCoverageReturnType>('Profiler.takePreciseCoverage').result),
    characters: characters.take(),
  });
  return {
    measure: (send, { isByTurn }) => (isByTurn ? measureTurns({ take, characters }, send) : measureWhole(take, send)),
    stop: () => {
      characters.stop();
      session.disconnect();
    },
  };
}

interface WorkSample extends Work {
  readonly busiest: string;
}

async function measureWhole(take: () => WorkSample, send: () => Promise<unknown>): Promise<MeasuredWork> {
  take();
  await send();
  const whole = take();
  return { whole, longestTurn: whole, busiest: whole.busiest };
}

/** A tenth of what the bound on a turn takes; a fast machine reads the characters of ten turns in the time of one. */
const lookMicroseconds = 5000;
const lookCharacters = turnMax.characters / 10;

async function measureTurns(
  { take, characters }: { readonly take: () => WorkSample; readonly characters: CharacterCount },
  send: () => Promise<unknown>,
): Promise<MeasuredWork> {
  const turns: WorkSample[] = [];
  let isOver = false;
  take();
  let started = process.threadCpuUsage();
  const look = (): void => {
    if (isOver) return;
    // A look takes longer than most turns. So several that are far from any bound count as one, which makes it no smaller.
    const { user, system } = process.threadCpuUsage(started);
    if (user + system >= lookMicroseconds || characters.counted() >= lookCharacters) {
      turns.push(take());
      started = process.threadCpuUsage();
    }
    setImmediate(look);
  };
  setImmediate(look);
  await send();
  isOver = true;
  turns.push(take());
  const sum = (of: (turn: Work) => number): number => turns.reduce((all, turn) => all + of(turn), 0);
  const longest = turns.toSorted((left, right) => right.steps - left.steps)[0];
  return {
    whole: { steps: sum(({ steps }) => steps), characters: sum((turn) => turn.characters) },
    longestTurn: {
      steps: longest?.steps ?? 0,
      characters: Math.max(...turns.map((turn) => turn.characters)),
    },
    busiest: longest?.busiest ?? '',
  };
}

/** In this very thread, the session answers at once. */
function ask<Answer>(session: Session, method: string, given: object): Answer {
  let answer: Answer | undefined;
  session.post(method, given, (error, result) => {
    if (error !== null) throw error;
    answer = result as Answer;
  });
  if (answer === undefined) throw new TypeError(`\`${method}\` gave no answer`);
  return answer;
}

function stepsOf(scripts: readonly Profiler.ScriptCoverage[]): Pick<WorkSample, 'steps' | 'busiest'> {
  let [steps, most, busiest] = [0, 0, ''];
  for (const { url, functions } of scripts) {
    if (!isCounted(url)) continue;
    for (const { functionName, ranges } of functions) {
      let own = 0;
      for (const { count } of ranges) own += count;
      steps += own;
      if (own > most) [most, busiest] = [own, `${functionName} of ${url.replace(source, '')}`];
    }
  }
  return { steps, busiest };
}

function isCounted(url: string): boolean {
  if (!url.startsWith(source)) return packages.test(url);
  return url === planted || !uncounted.some((place) => url.startsWith(source + place));
}
