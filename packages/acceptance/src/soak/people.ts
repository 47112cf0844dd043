/** What people do beside their work: they sign in, refresh their tokens, invite others, and administrators grant and take. */
import { type AppUser, act, allow, exchangeToken, logIn, newEmail, random, type StoredRecord } from '../org.ts';
import type { SoakCaller } from './soak-caller.ts';
import type { Workplace } from './stage.ts';

/** Tokens kept of each workplace, so that memory of the platform that holds what it knows of a token is bounded. */
const heldMax = 30;
/** A token that is used for the first time is one more that the platform remembers, until it has 100,000. */
const betweenNewTokensMilliseconds = 30_000;

export class People {
  readonly #caller: SoakCaller;
  readonly #workplace: Workplace;
  #newTokenAt = performance.now() + Math.random() * betweenNewTokensMilliseconds;
  /** How many tokens and people the platform met that it had not known. */
  met = 0;

  constructor(caller: SoakCaller, workplace: Workplace) {
    this.#caller = caller;
    this.#workplace = workplace;
  }

  async turn(): Promise<void> {
    const works = [
      () => this.#signIn(),
      () => this.#refresh(),
      () => this.#refresh(),
      () => this.#lookAtMyself(),
      () => this.#lookAtMyself(),
      () => this.#invite(),
      () => this.#grantAndTake(),
    ];
    await works[Math.floor(Math.random() * works.length)]?.();
    if (performance.now() < this.#newTokenAt) return;
    this.#newTokenAt = performance.now() + betweenNewTokensMilliseconds;
    await this.#hold();
    if (Math.random() < 0.3) await this.#arriveAndLeave();
  }

  /** The same people again and again, who may then do what they may. */
  async #signIn(): Promise<void> {
    const { admin, name } = this.#workplace;
    const login = await this.#caller.ask(`log-in at ${name}`, 200, () => logIn(admin.org, admin.email));
    // It is good once: where a restart hid the answer, it may be spent.
    await this.#caller.ask(`exchange at ${name}`, { statuses: [200], whenRepeated: [401] }, () =>
      exchangeToken(admin.org, login.body.token),
    );
  }

  async #refresh(): Promise<void> {
    const { admin, held, name } = this.#workplace;
    const token = held[Math.floor(Math.random() * held.length)] ?? admin.token;
    await this.#caller.ask(`refresh at ${name}`, 200, () => exchangeToken(admin.org, token));
  }

  /** A new token is used from now on, beside the first one and others before it. */
  async #hold(): Promise<void> {
    const { admin, held, name } = this.#workplace;
    const { body } = await this.#caller.ask(`new token at ${name}`, 200, () => exchangeToken(admin.org, admin.token));
    held.push(body.token);
    this.met += 1;
    if (held.length > heldMax) held.splice(1, 1);
  }

  async #lookAtMyself(): Promise<void> {
    const { admin, member, name } = this.#workplace;
    for (const path of ['/user/me', '/user/tenants', '/user/permissions'])
      await this.#caller.ask(`GET ${path} at ${name}`, 200, () =>
        act(Math.random() < 0.5 ? admin : member, 'GET', path),
      );
    await this.#caller.ask(`PUT /user/me at ${name}`, 200, () =>
      act(admin, 'PUT', '/user/me', { body: { fn: random() } }),
    );
  }

  async #invite(): Promise<void> {
    const { admin } = this.#workplace;
    const { id } = await this.#make('/user/invitations', { email: newEmail('guest') });
    await this.#caller.ask('list of invitations', 200, () => act(admin, 'GET', '/user/invitations'));
    await this.#remove(`/user/invitations/${id}`);
  }

  async #grantAndTake(): Promise<void> {
    const { member } = this.#workplace;
    const policy = await this.#make('/create/aclpolicy', { name: `p-${random()}`, statements: [allow('listscrap')] });
    const link = await this.#make('/create/useraclpolicy', { user_id: member.id, acl_policy_id: policy.id });
    await this.#caller.ask('what was granted', 200, () => act(member, 'GET', '/list/scrap?pagesize=1'));
    await this.#remove(`/delete/useraclpolicy/${link.id}`);
    await this.#caller.ask('what was taken', 403, () => act(member, 'GET', '/list/scrap?pagesize=1'));
    await this.#remove(`/delete/aclpolicy/${policy.id}`);
  }

  /** A new user becomes a member, if the org lets people in, and is removed. */
  async #arriveAndLeave(): Promise<void> {
    const { org, tenantId } = this.#workplace.admin;
    const login = await this.#caller.ask('log-in of a stranger', 200, () => logIn(org, newEmail('stranger')));
    const { status, body } = await this.#caller.ask(
      'exchange of a stranger',
      { statuses: [200], whenRepeated: [401] },
      () => exchangeToken(org, login.body.token),
    );
    if (status !== 200 || body.tenant_id !== tenantId) return;
    this.met += 1;
    const stranger: AppUser = { ...this.#workplace.admin, id: body.user_id, token: body.token };
    await this.#caller.ask('a stranger looks around', 200, () => act(stranger, 'GET', '/list/team'));
    await this.#remove(`/delete/user/${body.user_id}`);
    await this.#caller.ask('a removed member calls', 401, () => act(stranger, 'GET', '/list/team'));
  }

  async #make(path: string, body: object): Promise<StoredRecord> {
    const options = { body, headers: { 'idempotency-key': random() } };
    const reply = await this.#caller.ask(`POST ${path}`, 201, () => act(this.#workplace.admin, 'POST', path, options));
    return reply.body;
  }

  async #remove(path: string): Promise<void> {
    await this.#caller.ask(`DELETE ${path.replace(/[^/]+$/, '')}`, { statuses: [204], whenRepeated: [404] }, () =>
      act(this.#workplace.admin, 'DELETE', path),
    );
  }
}
