import type { EventEmitter } from 'node:events';
import { join, relative, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Count } from '../closing-line.ts';
import type { TestProcess } from './test-groups.ts';

const root = join(import.meta.dirname, '..', '..');

/** `notes` are lines for the reader: each slow file, each skipped test, each failed one, and each failure without a failing test. */
export interface Tally extends Count {
  readonly notes: readonly string[];
}

interface Counts {
  readonly tests: number;
  readonly passed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly skipped: number;
  readonly todo: number;
}

interface TestEvent {
  readonly name: string;
  readonly nesting: number;
  readonly details: { readonly type?: string | undefined; readonly duration_ms: number };
  readonly file?: string | undefined;
  readonly skip?: string | boolean | undefined;
}

interface FailEvent extends TestEvent {
  readonly details: {
    readonly type?: string | undefined;
    readonly duration_ms: number;
    readonly error: Error & { readonly failureType?: string | undefined };
  };
}

interface SummaryEvent {
  readonly file?: string | undefined;
  readonly counts: Counts;
  readonly duration_ms: number;
}

/** A file that takes longer is named: one core may wait for it at the end. */
const slowSeconds = 10;

/**
 * Counts the events of `node:test`, which by itself reports a test file that holds no test, or that leaves by
 * `process.exit(0)` half way, as one passed test. Here such a file has failed: only a file that sends its own summary
 * has run to its end. A test that is cancelled, or only noted for later, has failed as well.
 */
export class TestTally {
  readonly #processes: readonly TestProcess[];
  readonly #ran = new Set<string>();
  readonly #passedAsAFile = new Set<string>();
  readonly #failedAsAFile = new Set<string>();
  readonly #skipped: string[] = [];
  readonly #failures: string[] = [];
  readonly #seconds = new Map<string, number>();
  /** A suite that is skipped as a whole holds no test that could be counted; it is reported nevertheless. */
  readonly #skippedIn = new Set<string>();
  readonly #members: ReadonlySet<string>;
  /** What was reported since the last member, which is reported after its tests. */
  #sinceMember = { seen: 0, failed: 0 };
  /** Members that failed though none of their tests did. */
  #failedByThemselves = 0;
  #total: Counts | undefined;

  constructor(processes: readonly TestProcess[]) {
    this.#processes = processes;
    this.#members = new Set(processes.flatMap(({ members }) => members));
  }

  follow(stream: EventEmitter): void {
    stream.on('test:pass', (event: TestEvent) => {
      if (event.name === event.file) this.#passedAsAFile.add(event.file);
      const isSkipped = event.skip !== undefined && event.skip !== false;
      if (isSkipped) {
        this.#skipped.push(skipNote(event));
        if (event.file !== undefined) this.#skippedIn.add(event.file);
      }
      if (this.#isMember(event)) this.#endMember(event);
      else if (isSkipped || event.details.type !== 'suite') this.#sinceMember.seen++;
    });
    stream.on('test:fail', (event: FailEvent) => {
      if (event.name === event.file) this.#failedAsAFile.add(event.file);
      if (event.details.type !== 'suite') this.#failures.push(failureNote(event));
      if (this.#isMember(event)) this.#failMember(event);
      else if (event.details.type !== 'suite') {
        this.#sinceMember.seen++;
        this.#sinceMember.failed++;
      }
    });
    stream.on('test:summary', (event: SummaryEvent) => {
      if (event.file === undefined) {
        this.#total = event.counts;
        return;
      }
      this.#seconds.set(event.file, event.duration_ms / 1000);
      if (event.counts.tests > 0 || this.#skippedIn.has(event.file)) this.#ran.add(event.file);
    });
  }

  #isMember({ name, nesting }: TestEvent): boolean {
    return nesting === 0 && this.#members.has(name);
  }

  #endMember({ name, details }: TestEvent): void {
    this.#seconds.set(name, details.duration_ms / 1000);
    if (this.#sinceMember.seen > 0) this.#ran.add(name);
    this.#sinceMember = { seen: 0, failed: 0 };
  }

  /** A file that could not be loaded, or not taken down, has failed by itself; else its tests say what has. */
  #failMember(event: FailEvent): void {
    if (event.details.error.failureType !== 'subtestsFailed') {
      this.#failures.push(failureNote({ ...event, file: event.name }));
      if (this.#sinceMember.failed === 0) this.#failedByThemselves++;
      this.#failedAsAFile.add(event.name);
    }
    this.#endMember(event);
  }

  result(): Tally {
    if (this.#processes.length === 0) return { passed: 0, failed: 1, notes: ['failed: no test file was found'] };
    const total = this.#total;
    if (total === undefined) return { passed: 0, failed: 1, notes: ['failed: the test run ended without a summary'] };
    const silent = this.#processes.flatMap((one) => this.#silentOf(one));
    const endedEarly = this.#processes.filter((one) => this.#silentOf(one).length > 0);
    return {
      passed: total.passed - endedEarly.filter(({ file }) => this.#passedAsAFile.has(file)).length,
      failed: total.failed + total.cancelled + total.todo + this.#failedByThemselves + silent.length,
      notes: [
        ...this.#slowNotes(),
        ...this.#skipped,
        ...this.#failures,
        ...(total.todo > 0 ? [`failed: ${total.todo} tests are only noted for later`] : []),
        ...silent.map((file) => `failed: ${shortName(file)} ran no test, or ended before its tests did`),
      ],
    };
  }

  #slowNotes(): readonly string[] {
    const members = new Map(this.#processes.map(({ file, members }) => [file, members]));
    return [...this.#seconds]
      .filter(([file, seconds]) => seconds > slowSeconds && (members.get(file)?.length ?? 0) === 0)
      .toSorted(([, one], [, other]) => other - one)
      .map(([file, seconds]) => `slow: ${shortName(file)}: ${seconds.toFixed(1)} s`);
  }

  /** Of files that share a process the first that is not reported has ended it; it is named with those after it. */
  #silentOf({ file, members }: TestProcess): readonly string[] {
    const isSilent = (name: string) => !this.#ran.has(name) && !this.#failedAsAFile.has(name);
    const own = members.length === 0 ? [file] : members;
    return own.filter(isSilent);
  }
}

function skipNote(event: TestEvent): string {
  const reason = typeof event.skip === 'string' && event.skip !== '' ? ` (${event.skip})` : '';
  return `skipped: ${event.file === undefined ? '' : `${shortName(event.file)}: `}${event.name}${reason}`;
}

/** A line on its own, so that a summary which has no room for the whole report still tells which test failed, and why. */
function failureNote({ name, file, details: { error } }: FailEvent): string {
  const { message } = error.cause instanceof Error ? error.cause : error;
  const reason = stripVTControlCharacters(message).split(/\s+/).join(' ').slice(0, 500);
  return `failed: ${file === undefined ? '' : `${shortName(file)}: `}${name === file ? 'the file' : name}: ${reason}`;
}

function shortName(file: string): string {
  return relative(root, resolve(root, file));
}
