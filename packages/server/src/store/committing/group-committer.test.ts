import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CommitOptions, OutcomeUnknown, Unavailable } from '../port.ts';
import type { GroupMember } from './apply-group.ts';
import { type CommitterLimits, committerDefaults, GroupCommitter, type MemberAnswer } from './group-committer.ts';

describe('a group committer', () => {
  test('lets one group be under way while the next one forms', async () => {
    const bench = new CommitterBench();
    bench.submit('a', 1);
    await bench.turn();
    for (const name of ['b', 'c', 'd']) bench.submit(name, 1);
    await bench.turn();
    assert.deepEqual(bench.groups, [['a']]);
    bench.finish();
    await bench.turn();
    assert.deepEqual(bench.groups, [['a'], ['b', 'c', 'd']]);
    bench.finish();
    assert.deepEqual(await bench.answers(), ['stored', 'stored', 'stored', 'stored']);
  });

  test('puts commits that are made side by side into one group', async () => {
    const bench = new CommitterBench();
    for (const name of ['a', 'b', 'c']) bench.submit(name, 1);
    await bench.turn();
    assert.deepEqual(bench.groups, [['a', 'b', 'c']]);
  });

  test('lets scopes take turns, so that a busy one cannot hold up the others', async () => {
    const bench = new CommitterBench({ groupMax: 4 });
    for (let index = 0; index < 9; index++) bench.submit('busy', 1);
    bench.submit('a', 1);
    bench.submit('b', 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups, [
      ['busy', 'a', 'b', 'busy'],
      ['busy', 'busy', 'busy', 'busy'],
      ['busy', 'busy', 'busy'],
    ]);
  });

  test('remembers over groups whose turn it is', async () => {
    const bench = new CommitterBench({ groupMax: 1 });
    for (const name of ['a', 'a', 'a', 'b', 'b', 'c']) bench.submit(name, 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups.flat(), ['a', 'b', 'c', 'a', 'b', 'a']);
  });

  test('keeps background commits behind every request commit, those that come later included', async () => {
    const bench = new CommitterBench({ groupMax: 2 });
    bench.submit('slow', 1, { priority: 'background' });
    bench.submit('slow', 1, { priority: 'background' });
    for (const name of ['a', 'b', 'c']) bench.submit(name, 1);
    await bench.turn();
    bench.submit('late', 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups, [
      ['a', 'b'],
      ['c', 'late'],
      ['slow', 'slow'],
    ]);
  });

  test('lets owners take turns, however many scopes one of them has', async () => {
    const bench = new CommitterBench({ groupMax: 2 });
    for (const name of ['busy-1', 'busy-2', 'busy-3', 'busy-1', 'modest-1', 'busy-4']) bench.submit(name, 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups, [
      ['busy-1', 'modest-1'],
      ['busy-2', 'busy-3'],
      ['busy-4', 'busy-1'],
    ]);
  });

  test('gives an owner no more than its share of a group where others commit, and all of it if no other owner does', async () => {
    const bench = new CommitterBench({ groupChangesOfOwnerMax: 3 });
    const flood = (commits: number) => {
      for (let index = 0; index < commits; index++) bench.submit(`busy-${index % 4}`, 1);
    };
    flood(10);
    await bench.finishAll();
    assert.deepEqual(
      bench.groups.map(({ length }) => length),
      [10],
    );
    flood(4);
    bench.submit('modest', 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups.slice(1), [['busy-0', 'modest', 'busy-1', 'busy-2'], ['busy-3']]);
    // The other one is taken to be there for a while.
    for (let group = 0; group < 253; group++) {
      flood(1);
      await bench.finishAll();
    }
    flood(5);
    await bench.finishAll();
    assert.deepEqual(
      bench.groups.slice(256).map(({ length }) => length),
      [3, 2],
    );
    flood(5);
    await bench.finishAll();
    assert.equal(bench.groups.at(-1)?.length, 5);
  });

  test('takes background commits only if no others wait, and holds a commit that is larger than a share up for nothing', async () => {
    const bench = new CommitterBench({ groupChangesOfOwnerMax: 3 });
    bench.submit('platform', 1, { priority: 'background' });
    for (let index = 0; index < 5; index++) bench.submit('busy', 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups, [['busy', 'busy', 'busy', 'busy', 'busy', 'platform']]);
    bench.submitLarge('large', 5);
    bench.submit('large', 1);
    bench.submit('modest', 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups.slice(1), [['large', 'modest'], ['large']]);
  });

  test('serves the others before an owner whose last commit was larger than a share', async () => {
    const bench = new CommitterBench({ groupChangesOfOwnerMax: 3, groupChangesMax: 10 });
    for (let index = 0; index < 3; index++) bench.submitLarge('large', 9);
    await bench.turn();
    for (let index = 0; index < 4; index++) {
      bench.submit('modest', 1);
      bench.finish();
      await bench.turn();
    }
    assert.deepEqual(bench.groups, [['large'], ['modest'], ['modest'], ['large', 'modest'], ['modest']]);
    // While no other waits, it may go on at once, with as much as fits.
    await bench.finishAll();
    for (let index = 0; index < 3; index++) bench.submit('large', 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups.slice(5), [['large'], ['large', 'large', 'large']]);
  });

  test('tells the first of a large group at once, and the others in turns, owner by owner and in their order', async () => {
    const bench = new CommitterBench({ groupChangesMax: 4096 });
    const notified: string[] = [];
    const append = { kind: 'append', pk: 'log', value: '1' } as const;
    const submit = (scope: string, name: string, changes: number) =>
      void bench.committer
        .submit({ kind: 'commit', scope, changes: Array.from({ length: changes }, () => append) }, 1)
        .then(() => notified.push(name));
    for (const name of ['one', 'two', 'three', 'four', 'five']) submit('busy-1', name, 320);
    submit('busy-2', 'six', 1);
    submit('modest', 'other', 1);
    await bench.turn();
    bench.finish();
    for (let tick = 0; tick < 20; tick++) await Promise.resolve();
    // In the order of the group, in which owners and their scopes take turns.
    assert.deepEqual(notified, ['one', 'other', 'six', 'two']);
    submit('modest', 'later', 1);
    await bench.turn();
    assert.deepEqual(notified.slice(4), ['three', 'four']);
    bench.finish();
    await bench.committer.close();
    assert.deepEqual(notified.slice(6).sort(), ['five', 'later']);
  });

  test('ends a group at its limit of bytes, and lets a larger commit go alone', async () => {
    const bench = new CommitterBench({ groupBytesMax: 10 });
    for (const bytes of [4, 6, 1, 100, 9]) bench.submit(`of ${bytes}`, bytes);
    await bench.finishAll();
    assert.deepEqual(bench.groups, [['of 4', 'of 6'], ['of 1'], ['of 100'], ['of 9']]);
  });

  test('ends a group at its limit of changes', async () => {
    const bench = new CommitterBench({ groupChangesMax: 2 });
    for (const name of ['a', 'b', 'c']) bench.submit(name, 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups, [['a', 'b'], ['c']]);
  });

  test('has a commit wait for no more than the group under way, however many of another scope wait', async () => {
    const bench = new CommitterBench();
    for (let index = 0; index < 1000; index++) bench.submit('busy', 1);
    await bench.turn();
    bench.submit('modest', 1);
    bench.finish();
    await bench.turn();
    assert.equal(bench.groups[0]?.length, 256);
    assert.equal(bench.groups[1]?.includes('modest'), true);
  });

  test('lets no commit of many changes into a group of others, and serves these before the next such', async () => {
    const bench = new CommitterBench();
    for (let index = 0; index < 3; index++) bench.submitLarge('large', 300);
    bench.submit('modest', 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups, [['large', 'modest'], ['large'], ['large']]);
    const others = new CommitterBench();
    for (let index = 0; index < 3; index++) others.submitLarge('large', 600);
    others.submit('modest', 1);
    await others.finishAll();
    assert.deepEqual(others.groups, [['large'], ['modest'], ['large'], ['large']]);
  });

  test('refuses what is over its queue, and takes more when a group has left', async () => {
    const bench = new CommitterBench({ groupMax: 1, queuedMax: 2 });
    for (const name of ['a', 'b']) bench.submit(name, 1);
    bench.submit('refused', 1);
    await bench.turn();
    bench.submit('c', 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups, [['a'], ['b'], ['c']]);
    assert.deepEqual(await bench.answers(), ['stored', 'stored', 'Unavailable', 'stored']);
  });

  test('refuses what is over its bytes', async () => {
    const bench = new CommitterBench({ queuedBytesMax: 10 });
    for (const bytes of [6, 5, 4]) bench.submit('a', bytes);
    await bench.finishAll();
    assert.deepEqual(await bench.answers(), ['stored', 'Unavailable', 'stored']);
  });

  test('refuses an owner that floods the queue before it refuses the others', async () => {
    const bench = new CommitterBench({ queuedOfOwnerMax: 2 });
    for (const name of ['busy-1', 'busy-1', 'busy-1', 'other', 'busy-2', 'busy-2', 'busy-2']) bench.submit(name, 1);
    bench.submit('busy-1', 1, { priority: 'background' });
    await bench.finishAll();
    assert.deepEqual(await bench.answers(), [
      'stored',
      'stored',
      'Unavailable',
      'stored',
      'stored',
      'stored',
      'Unavailable',
      'Unavailable',
    ]);
  });

  test('hands the error of a group to each of its members and goes on with the next', async () => {
    const bench = new CommitterBench({ groupMax: 2 });
    for (const name of ['a', 'b', 'c']) bench.submit(name, 1);
    await bench.turn();
    bench.fail(new OutcomeUnknown('lost'));
    await bench.finishAll();
    assert.deepEqual(await bench.answers(), ['OutcomeUnknown', 'OutcomeUnknown', 'stored']);
  });

  test('answers what it has taken before it is closed, and takes nothing more', async () => {
    const bench = new CommitterBench({ groupMax: 1 });
    for (const name of ['a', 'b']) bench.submit(name, 1);
    let isClosed = false;
    const closing = bench.committer.close().then(() => {
      isClosed = true;
    });
    bench.submit('late', 1);
    await bench.turn();
    bench.finish();
    await bench.turn();
    assert.equal(isClosed, false);
    bench.finish();
    await closing;
    assert.deepEqual(await bench.answers(), ['stored', 'stored', 'Unavailable']);
    await bench.committer.close();
  });
});

describe('a group committer for groups of one scope', () => {
  test('has groups of several scopes under way, of each one, and no more than it may', async () => {
    const bench = new CommitterBench({ groupsAtOnce: 2, scopesOfGroupMax: 1 });
    for (const name of ['a', 'b', 'c', 'a']) bench.submit(name, 1);
    await bench.turn();
    bench.submit('a', 1);
    await bench.turn();
    assert.deepEqual(bench.groups, [['a', 'a'], ['b']]);
    bench.finish('b');
    await bench.turn();
    assert.deepEqual(bench.groups, [['a', 'a'], ['b'], ['c']]);
    bench.finish('c');
    await bench.turn();
    assert.deepEqual(bench.groups.length, 3);
    bench.finish('a');
    await bench.turn();
    assert.deepEqual(bench.groups, [['a', 'a'], ['b'], ['c'], ['a']]);
    bench.finish('a');
    assert.equal(new Set(await bench.answers()).size, 1);
  });

  test('leaves room beside a lane whose groups do not end', async () => {
    const serverGroupOf = (scope: string) => (scope.startsWith('hung') ? 1 : undefined);
    const bench = new CommitterBench({ groupsAtOnce: 4, scopesOfGroupMax: 1, groupsOfServerMax: 2, serverGroupOf });
    for (const name of ['hung1', 'hung2', 'hung3', 'hung4', 'a', 'b', 'c']) bench.submit(name, 1);
    await bench.turn();
    assert.deepEqual(bench.groups, [['hung1'], ['hung2'], ['a'], ['b']]);
    bench.finish('a');
    await bench.turn();
    assert.deepEqual(bench.groups.at(-1), ['c']);
    bench.finish('hung1');
    await bench.turn();
    assert.deepEqual(bench.groups.at(-1), ['hung3']);
    await bench.finishAll();
    assert.deepEqual(bench.groups.at(-1), ['hung4']);
  });

  test('lets a busy scope hold up no other, and serves the others in turn', async () => {
    const bench = new CommitterBench({ groupsAtOnce: 1, scopesOfGroupMax: 1, groupMax: 2 });
    for (let index = 0; index < 5; index++) bench.submit('busy', 1);
    for (const name of ['a', 'b']) bench.submit(name, 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups, [['busy', 'busy'], ['a'], ['b'], ['busy', 'busy'], ['busy']]);
  });

  test('lets background commits go where no request could, and behind the requests of their own scope', async () => {
    const bench = new CommitterBench({ groupsAtOnce: 2, scopesOfGroupMax: 1 });
    bench.submit('a', 1);
    await bench.turn();
    bench.submit('a', 1, { priority: 'background' });
    bench.submit('a', 1);
    bench.submit('b', 1, { priority: 'background' });
    bench.submit('c', 1);
    await bench.turn();
    assert.deepEqual(bench.groups, [['a'], ['c']]);
    bench.finish('c');
    await bench.turn();
    assert.deepEqual(bench.groups, [['a'], ['c'], ['b']]);
    await bench.finishAll();
    assert.deepEqual(bench.groups, [['a'], ['c'], ['b'], ['a', 'a']]);
  });

  test('goes on with a scope whose group has failed, and closes when all groups have ended', async () => {
    const bench = new CommitterBench({ groupsAtOnce: 2, scopesOfGroupMax: 1 });
    for (const name of ['a', 'b']) bench.submit(name, 1);
    await bench.turn();
    bench.submit('a', 1);
    bench.fail(new OutcomeUnknown('lost'));
    await bench.turn();
    let isClosed = false;
    const closing = bench.committer.close().then(() => {
      isClosed = true;
    });
    bench.finish('a');
    await bench.turn();
    assert.equal(isClosed, false);
    bench.finish('b');
    await closing;
    assert.deepEqual(await bench.answers(), ['OutcomeUnknown', 'stored', 'stored']);
  });
});

describe('a group committer for groups of some scopes', () => {
  test('puts as many scopes together as it may, and none that is under way', async () => {
    const bench = new CommitterBench({ groupsAtOnce: 2, scopesOfGroupMax: 2 });
    bench.submit('a', 1);
    await bench.turn();
    for (const name of ['a', 'b', 'c', 'd', 'c', 'b', 'b']) bench.submit(name, 1);
    await bench.turn();
    assert.deepEqual(bench.groups, [['a'], ['b', 'c', 'b', 'c', 'b']]);
    bench.finish('a');
    await bench.turn();
    assert.deepEqual(bench.groups.slice(2), [['a', 'd']]);
    await bench.finishAll();
    assert.deepEqual(
      (await bench.answers()).filter((answer) => answer !== 'stored'),
      [],
    );
  });

  test('runs a scope alone that was answered apart, before what it was given meanwhile, and the rest together', async () => {
    const bench = new CommitterBench({ groupsAtOnce: 1 });
    for (const name of ['a', 'b', 'c']) bench.submit(name, 1);
    bench.submit('b', 2, { priority: 'background' });
    await bench.turn();
    assert.deepEqual(bench.groups, [['a', 'b', 'c', 'b']]);
    for (const name of ['b', 'c', 'd']) bench.submit(name, 3);
    bench.finish('b', { apart: 'b' });
    await bench.finishAll();
    assert.deepEqual(bench.groups.slice(1), [
      ['b', 'b', 'b'],
      ['c', 'd'],
    ]);
    assert.deepEqual(bench.bytes[1], [1, 3, 2]);
    bench.submit('b', 1);
    bench.submit('c', 1);
    await bench.finishAll();
    assert.deepEqual(bench.groups.slice(3), [['b', 'c']]);
    assert.deepEqual(
      await bench.answers(),
      [1, 2, 4, 4, 2, 1, 2, 1, 2].map(() => 'stored'),
    );
  });

  test('runs all scopes of a group each alone, and at once, that was answered apart as a whole', async () => {
    const bench = new CommitterBench({ groupsAtOnce: 2 });
    for (const name of ['a', 'b', 'c', 'a']) bench.submit(name, 1);
    await bench.turn();
    let isClosed = false;
    const closing = bench.committer.close().then(() => {
      isClosed = true;
    });
    bench.finish('a', { apart: 'all' });
    await bench.turn();
    assert.deepEqual(bench.groups.slice(1), [['a', 'a'], ['b']]);
    assert.equal(isClosed, false);
    await bench.finishAll();
    assert.deepEqual(bench.groups.slice(3), [['c']]);
    await closing;
    assert.deepEqual(await bench.answers(), ['stored', 'stored', 'stored', 'stored']);
  });

  test('does not run a scope again and again that is answered apart when it is alone', async () => {
    const bench = new CommitterBench({ groupsAtOnce: 1 });
    for (const name of ['a', 'a']) bench.submit(name, 1);
    await bench.turn();
    bench.finish('a', { apart: 'all' });
    const failure = 'Error: the engine set a scope apart that was alone';
    assert.deepEqual(await bench.answers(), [failure, failure]);
    assert.equal(bench.groups.length, 1);
  });

  test('keeps counting the bytes of what it has put back', async () => {
    const bench = new CommitterBench({ groupsAtOnce: 1, queuedBytesMax: 10 });
    for (const name of ['a', 'b']) bench.submit(name, 4);
    await bench.turn();
    bench.finish('a', { apart: 'all' });
    await bench.turn();
    bench.submit('c', 6);
    bench.submit('d', 1);
    await bench.finishAll();
    assert.deepEqual(await bench.answers(), ['stored', 'stored', 'stored', 'Unavailable']);
  });
});

/** Runs groups one step at a time. */
class CommitterBench {
  readonly committer: GroupCommitter;
  /** The scopes of the members of each group that was begun. */
  readonly groups: string[][] = [];
  /** The bytes that each of them was submitted with. */
  readonly bytes: number[][] = [];
  readonly #answers: Promise<string>[] = [];
  readonly #groupsAtOnce: number;
  #underWay: readonly Group[] = [];

  constructor(limits: Partial<CommitterLimits> = {}) {
    this.#groupsAtOnce = limits.groupsAtOnce ?? 1;
    this.committer = new GroupCommitter((members) => this.#begin(members), { ...committerDefaults, ...limits });
  }

  submit(scope: string, bytes: number, options?: CommitOptions): void {
    this.#submit(
      { kind: 'commit', scope, changes: [{ kind: 'append', pk: 'log', value: String(bytes) }] },
      bytes,
      options,
    );
  }

  submitLarge(scope: string, changes: number): void {
    const append = { kind: 'append', pk: 'log', value: '' } as const;
    this.#submit({ kind: 'commit', scope, changes: Array.from({ length: changes }, () => append) }, changes);
  }

  #submit(member: GroupMember, bytes: number, options?: CommitOptions): void {
    const answer = this.committer.submit(member, bytes, options);
    this.#answers.push(
      answer.then(
        () => 'stored',
        (error: unknown) =>
          error instanceof Unavailable || error instanceof OutcomeUnknown ? error.name : String(error),
      ),
    );
  }

  /** The group of a scope, or the one that has been under way for longest. */
  finish(scope?: string, { apart }: { readonly apart?: string } = {}): void {
    const group = this.#take(scope);
    const answers = group?.members.map((member, seq): MemberAnswer => {
      const isApart = apart === 'all' || apart === member.scope;
      return isApart ? 'retryAlone' : { kind: 'committed', seq, sums: [] };
    });
    group?.answer.resolve(answers ?? []);
  }

  fail(error: Error): void {
    this.#take(undefined)?.answer.reject(error);
  }

  async finishAll(): Promise<void> {
    for (await this.turn(); this.#underWay.length > 0; await this.turn()) this.finish();
  }

  turn(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  answers(): Promise<readonly string[]> {
    return Promise.all(this.#answers);
  }

  #take(scope: string | undefined): Group | undefined {
    const group = this.#underWay.find(
      ({ members }) => scope === undefined || members.some((member) => member.scope === scope),
    );
    this.#underWay = this.#underWay.filter((other) => other !== group);
    return group;
  }

  #begin(members: readonly GroupMember[]): Promise<readonly MemberAnswer[]> {
    assert.ok(this.#underWay.length < this.#groupsAtOnce, 'too many groups are under way');
    const group: Group = { members, answer: Promise.withResolvers() };
    this.#underWay = [...this.#underWay, group];
    this.groups.push(members.map((member) => member.scope));
    const changes = members.flatMap((member) => (member.kind === 'commit' ? member.changes : []));
    this.bytes.push(changes.map((change) => ('value' in change ? Number(change.value) : 0)));
    return group.answer.promise;
  }
}

interface Group {
  readonly members: readonly GroupMember[];
  readonly answer: PromiseWithResolvers<readonly MemberAnswer[]>;
}
