import { timestamp } from '../../lib/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { createSerializer } from '../../lib/scheduling/serializer.ts';
import type { PlannedChange, StoredRecord } from '../../records/port.ts';
import type { Change } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { Lease, LeaseLost, type LeaseTerms } from '../../work/lease.ts';
import type { SharedDeps } from '../automation-deps.ts';
import { Redaction } from './redaction.ts';
import { assertCanStart, assertFits } from './run-bounds.ts';
import {
  dueRun,
  forgottenAt,
  isOver,
  type OpenRunRows,
  type Run,
  type RunError,
  type RunRows,
  type RunStep,
  stepOf,
  storedRuns,
} from './run-rows.ts';

/** The longest that a process may be between two commits of a run: no step takes half as long. */
export const leaseMilliseconds = 60_000;

const renewAfterMilliseconds = 10_000;
/** The longest that a step waits. */
const waitMillisecondsMax = 30 * 86_400_000;
/** Of outputs that wait for the next effect of their run. */
const unstoredCharactersMax = 1024 * 1024;

/** The row of a run that is new is written with its lease. */
export function runLease({ runRows, workspace, clock, nodeId }: JournalDeps, run: Run): LeaseTerms {
  const { scope } = workspace;
  return {
    ...{ scope, clock, node: nodeId, key: storedRuns.key(run.id) },
    ...{ milliseconds: leaseMilliseconds, renewAfter: renewAfterMilliseconds },
    put: ({ by, until }, condition) => [
      condition === 'absent' ? runRows(scope).insert(run) : { kind: 'check', ...storedRuns.key(run.id), if: condition },
      dueRun(run.id, until, by),
    ],
  };
}

/** By their paths. */
type Steps = ReadonlyMap<string, RunStep>;

interface JournalDeps extends Pick<SharedDeps, 'clock' | 'retentionOf'> {
  readonly runRows: OpenRunRows;
  readonly workspace: Workspace;
  readonly nodeId: string;
}

export interface StepNote extends Pick<RunStep, 'id' | 'type' | 'entity' | 'record' | 'has_secrets' | 'log'> {
  /** Milliseconds since the epoch. */
  readonly began: number;
}

export type OutputOf = (record: StoredRecord | undefined) => Promise<unknown>;

type Along = (records: readonly (StoredRecord | undefined)[]) => Promise<readonly PlannedChange[]>;

/**
 * The steps that a run has done. The row of a step lies in the commit of the step's own effect. Every commit of the run
 * requires its row to be as this process took it: taking a run over or cancelling it writes that row.
 */
export class RunJournal {
  readonly redaction = new Redaction();
  readonly #deps: JournalDeps;
  readonly #rows: RunRows;
  readonly #serially = createSerializer<'commit'>();
  readonly #steps = new Map<string, RunStep>();
  /** The steps that are known and not stored yet: a crash may lose them, since they had no effect. */
  readonly #unstored = new Map<string, RunStep>();
  #unstoredCharacters = 0;
  #earliestWait = Number.POSITIVE_INFINITY;
  /** Fenced by the row of the run: taking the run over or cancelling it writes that row. */
  readonly #lease: Lease;
  #run: Run;
  #isStored: boolean;

  /** @param taken the stored row, as this process wrote it to take the run; left out for a run that is not stored yet. */
  constructor(deps: JournalDeps, run: Run, taken?: Lease) {
    this.#deps = deps;
    this.#rows = deps.runRows(deps.workspace.scope);
    this.#run = run;
    this.#lease = taken ?? new Lease(runLease(deps, run));
    this.#isStored = taken !== undefined;
  }

  get run(): Run {
    return this.#run;
  }

  get isStored(): boolean {
    return this.#isStored;
  }

  step(path: string): RunStep | undefined {
    return this.#steps.get(path);
  }

  async load(): Promise<void> {
    for await (const rows of this.#rows.steps(this.#run.id))
      for (const row of rows) {
        this.#steps.set(row.sk, stepOf(row));
        if (row.value.has_secrets === true) this.redaction.expect(row.sk);
      }
  }

  /**
   * Whether a step has to wait. Until when is settled when it is first asked.
   * @param until milliseconds since the epoch.
   */
  isWaiting(path: string, { began: startedAt, ...note }: StepNote, until: number): boolean {
    const settled = this.#steps.get(path)?.until ?? until;
    if (!this.#steps.has(path))
      this.#add(path, { ...note, state: 'waiting', at: timestamp(startedAt), ms: 0, until: settled });
    const isWaiting = this.#deps.clock.now() < settled;
    if (isWaiting) this.#earliestWait = Math.min(this.#earliestWait, settled);
    return isWaiting;
  }

  /** Has the run go on at a time, although no step says so. */
  restUntil(at: number): void {
    this.#earliestWait = Math.min(this.#earliestWait, at);
  }

  /** The earliest time at which a waiting step may go on: it may be past while other branches still worked. */
  earliestWait(): number {
    return Math.min(this.#earliestWait, this.#deps.clock.now() + waitMillisecondsMax);
  }

  /** Keeps what a step gave that changes nothing: it is stored with the next effect. */
  async note(path: string, note: StepNote, output: unknown): Promise<void> {
    this.keep(path, note, output);
    await this.renew();
  }

  /** The same at once. @throws Problem `block_failed` where it is larger than is kept. */
  keep(path: string, note: StepNote, output: unknown): void {
    this.#add(path, this.#done(note, output));
  }

  /** Keeps that a step was refused while its run goes on: it is stored with the next effect, as what steps give. */
  keepRefusal(path: string, { began: startedAt, ...note }: StepNote, error: RunError): void {
    const ms = this.#deps.clock.now() - startedAt;
    this.#add(path, { ...note, state: 'failed', caught: true, at: timestamp(startedAt), ms, error });
  }

  /** Has the run stay this process's, where it is stored and was not for a while. @throws LeaseLost */
  async renew(): Promise<void> {
    if (this.isStored && this.#lease.isLate) await this.store();
  }

  store(): Promise<void> {
    return this.#serially('commit', () => this.#storeAll());
  }

  async #storeAll(): Promise<void> {
    do await this.#storePart();
    while (this.#unstored.size > 0);
  }

  async #storePart(): Promise<void> {
    if (!this.isStored) assertCanStart(this.#run);
    const part = new Map<string, RunStep>();
    let left = unstoredCharactersMax;
    for (const [path, step] of this.#unstored) {
      part.set(path, step);
      left -= charactersOf(step);
      if (left <= 0) break;
    }
    await this.#lease.commit(this.#puts(part));
    this.#isStored = true;
    this.#stored(part);
  }

  /** No commit holds more of what is not stored yet than a part of it. */
  async #makeRoom(): Promise<void> {
    if (this.#unstoredCharacters > unstoredCharactersMax) await this.#storeAll();
  }

  /**
   * Does the write of a step, with the row of the step in its commit.
   * @throws LeaseLost, and what the write throws.
   */
  async effect<T>(
    path: string,
    { note, outputOf }: { readonly note: StepNote; readonly outputOf: OutputOf },
    write: (along: Along) => Promise<T>,
  ): Promise<T> {
    return this.#serially('commit', async () => {
      if (!this.isStored) await this.#storeAll();
      await this.#makeRoom();
      let step: RunStep | undefined;
      let part: Steps = new Map();
      const written = await this.#together(write, async ([record]) => {
        const at = record === undefined ? note : { ...note, record: record.data.id };
        step = this.#done(at, await outputOf(record));
        part = this.#part();
        const put = this.#rows.insertStep({ run: this.#run.id, path }, step);
        return [...this.#lease.changes(), ...this.#puts(part), put];
      });
      this.#lease.kept();
      if (step !== undefined) this.#steps.set(path, step);
      this.#stored(part);
      return written;
    });
  }

  /** Does all writes of a run in the one commit that ends it. @throws LeaseLost, and what the write throws. */
  async effectAtEnd<T>(
    { ended, steps }: { readonly ended: Run; readonly steps: Steps },
    write: (along: Along) => Promise<T>,
  ): Promise<T> {
    return this.#serially('commit', async () => {
      await this.#makeRoom();
      let part: Steps = new Map();
      const written = await this.#together(write, async () => {
        const ending = await this.#ending(ended, this.#deps.clock.now());
        part = this.#part();
        return [...ending, ...this.#puts(part), ...this.#putsAnew(steps)];
      });
      this.#run = ended;
      this.#isStored = true;
      this.#stored(part);
      return written;
    });
  }

  /** Ends the run or has it wait, and has it taken up again at `at`. @throws LeaseLost, TooLarge. */
  async end(ended: Run, at: number, steps: Steps = new Map()): Promise<void> {
    await this.#serially('commit', async () => {
      await this.#makeRoom();
      const ending = await this.#ending(ended, at);
      const part = this.#part();
      const [own, ...others] = ending;
      const along = [...others, ...this.#puts(part), ...this.#putsAnew(steps)];
      if (!(await this.#lease.end(own, along))) throw new LeaseLost(0);
      this.#isStored = true;
      this.#run = ended;
      this.#stored(part);
    });
  }

  #add(path: string, step: RunStep): void {
    this.#steps.set(path, step);
    this.#unstored.set(path, step);
    this.#unstoredCharacters += charactersOf(step);
  }

  /** The steps that a commit takes along. Other branches may add to the unstored ones while it is under way. */
  #part(): Steps {
    return new Map(this.#unstored);
  }

  async #ending(ended: Run, at: number): Promise<readonly [Change, Change]> {
    const { condition } = this.#lease;
    const { clock, retentionOf, workspace } = this.#deps;
    if (condition === 'absent') assertCanStart(this.#run);
    const due = isOver(ended) ? { due: forgottenAt(clock.now(), (await retentionOf(workspace.orgCode)).runs) } : {};
    return [this.#rows.put(ended, { if: condition, ...due }), dueRun(ended.id, at)];
  }

  #puts(steps: Steps): readonly Change[] {
    return [...steps].map(([path, step]) => this.#rows.insertStep({ run: this.#run.id, path }, step));
  }

  /** Of a transaction that is done again, some may be stored from before. */
  #putsAnew(steps: Steps): readonly Change[] {
    return [...steps].map(([path, step]) => this.#rows.putStep({ run: this.#run.id, path }, step, { if: 'any' }));
  }

  #stored(steps: Steps): void {
    for (const [path, step] of steps) {
      this.#unstored.delete(path);
      this.#unstoredCharacters -= charactersOf(step);
    }
  }

  /** Tells a refusal of the journal's own changes from one of the write that they come along with. */
  async #together<T>(
    write: (along: Along) => Promise<T>,
    own: (records: readonly (StoredRecord | undefined)[]) => Promise<readonly Change[]>,
  ): Promise<T> {
    let isLost = false;
    const onConflict = (): Problem => {
      isLost = true;
      return new Problem('conflict', 'the run was taken over or cancelled');
    };
    try {
      return await write(async (records) => (await own(records)).map((change) => ({ change, onConflict })));
    } catch (error) {
      throw isLost ? new LeaseLost(0) : error;
    }
  }

  /** @throws Problem `block_failed` where the output is larger than is kept. */
  #done({ began: startedAt, ...note }: StepNote, output: unknown): RunStep {
    const ms = this.#deps.clock.now() - startedAt;
    assertFits(output, 'a step may give');
    return { ...note, state: 'done', at: timestamp(startedAt), ms, ...(output === undefined ? {} : { output }) };
  }
}

function charactersOf(step: RunStep): number {
  return JSON.stringify(step).length;
}
