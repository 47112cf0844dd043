/** What a platform that is killed while it promotes leaves behind. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { call } from './call.ts';
import { defineEntity, definition, manage, type Org } from './org.ts';
import { type Platform, verifyToEnd } from './platform.ts';
import { platformOf } from './platform-for-tests.ts';
import {
  activate,
  change,
  deploy,
  diff,
  history,
  provisionedOrg,
  publish,
  rollback,
  staged,
  tryActivate,
  tryPublish,
  tryRollback,
} from './promotion.ts';

const names = Array.from({ length: 12 }, (_, at) => `e${at}`);

/** A platform that is started again on the same folder whenever it was killed. */
class Killed {
  #platform: Platform;
  readonly #context: TestContext;
  #org: Org;

  private constructor(context: TestContext, platform: Platform, org: Org) {
    [this.#context, this.#platform, this.#org] = [context, platform, org];
  }

  static async start(context: TestContext): Promise<Killed> {
    const platform = await platformOf(context);
    const org = await provisionedOrg(platform);
    for (const name of names) await defineEntity(org, definition(name, [{ name: 'v0' }]));
    await deploy(org);
    return new Killed(context, platform, org);
  }

  /** The org, where the platform listens now. */
  get org(): Org {
    return this.#org;
  }

  /** Kills it after so many answers from when the request was sent. True where the request was answered before. */
  async during(request: () => Promise<{ readonly status: number }>, answers: number): Promise<boolean> {
    const answered = request().then(({ status }) => {
      assert.ok(status < 300, `answered ${status}`);
      return true;
    });
    const outcome = answered.catch((error: unknown) => {
      if (error instanceof TypeError) return false;
      throw error;
    });
    for (let at = 0; at < answers; at++) await call('GET', `${this.#platform.management}/healthz`);
    await this.#platform.kill();
    this.#platform = await platformOf(this.#context, { dataDir: this.#platform.dataDir });
    this.#org = { ...this.#org, app: this.#platform.app, management: this.#platform.management };
    return outcome;
  }

  async end(): Promise<void> {
    await this.#platform.terminate();
    const { code, stdout, stderr } = await verifyToEnd(this.#platform.dataDir);
    assert.deepEqual([code, stderr], [0, ''], stdout);
  }
}

/** Gives every entity of test one field, named after the round. */
async function paint(org: Org, field: string): Promise<void> {
  for (const name of names) await change(org, `create-${name}`, { UpdateParams: [{ name: field }] });
}

/** The fields of production's entities: one, where it is not a mix. */
async function liveFields(org: Org): Promise<readonly string[]> {
  const shown = await Promise.all(
    names.map((name) =>
      manage<{ create: { UpdateParams: readonly { name: string }[] } }>(
        org,
        'GET',
        `/api/entity?entityName=${name}&env=prod`,
      ),
    ),
  );
  return [...new Set(shown.flatMap(({ body }) => body.create.UpdateParams.map(({ name }) => name)))];
}

test('E01: kill -9 during an activation leaves the old configuration or the new one, and what was answered', async (t) => {
  const killed = await Killed.start(t);
  let live = 'v0';
  for (let round = 1; round <= 5; round++) {
    await paint(killed.org, `v${round}`);
    await publish(killed.org);
    const before = (await history(killed.org)).length;
    const wasAnswered = await killed.during(() => tryActivate(killed.org), round - 1);
    const fields = await liveFields(killed.org);
    assert.ok(fields.length === 1 && (fields[0] === live || fields[0] === `v${round}`), fields.join());
    const isDone = fields[0] !== live;
    if (wasAnswered) assert.ok(isDone, 'what was answered stands');
    assert.equal((await history(killed.org)).length, before + (isDone ? 1 : 0));
    assert.equal((await staged(killed.org)).items.length, isDone ? 0 : names.length);
    assert.equal((await diff(killed.org)).length, isDone ? 0 : names.length);
    if (!isDone) await activate(killed.org);
    live = `v${round}`;
    assert.deepEqual(await liveFields(killed.org), [live]);
    assert.deepEqual(await diff(killed.org), []);
  }
  await killed.end();
});

test('E01: kill -9 during a rollback leaves the configuration from before or from after it', async (t) => {
  const killed = await Killed.start(t);
  await paint(killed.org, 'v1');
  await deploy(killed.org);
  for (let round = 0; round < 4; round++) {
    const [wanted, previous] = round % 2 === 0 ? [1, 'v1'] : [2, 'v0'];
    const before = (await history(killed.org)).length;
    const wasAnswered = await killed.during(() => tryRollback(killed.org, { version: wanted }), 3 * round);
    const fields = await liveFields(killed.org);
    assert.ok(fields.length === 1 && ['v0', 'v1'].includes(fields[0] ?? ''), fields.join());
    const isDone = fields[0] !== previous;
    if (wasAnswered) assert.ok(isDone, 'what was answered stands');
    assert.equal((await history(killed.org)).length, before + (isDone ? 1 : 0));
    if (!isDone) await rollback(killed.org, wanted);
    assert.deepEqual(await liveFields(killed.org), [`v${wanted - 1}`]);
    assert.equal((await diff(killed.org)).length, wanted === 1 ? names.length : 0);
  }
  await killed.end();
});

test('E01: kill -9 during a publication leaves all of it staged or nothing, and it can be made again', async (t) => {
  const killed = await Killed.start(t);
  for (let round = 1; round <= 3; round++) {
    await paint(killed.org, `v${round}`);
    const wasAnswered = await killed.during(() => tryPublish(killed.org), 4 * (round - 1));
    const { length } = (await staged(killed.org)).items;
    assert.ok(length === 0 || length === names.length, `${length} are staged`);
    if (wasAnswered) assert.equal(length, names.length);
    assert.deepEqual(
      (await diff(killed.org)).map((one) => [one.staged, one.edited_since_staged]),
      names.map(() => (length === 0 ? [false, undefined] : [true, false])),
    );
    await deploy(killed.org);
    assert.deepEqual(await liveFields(killed.org), [`v${round}`]);
  }
  await killed.end();
});
