import type { CompiledAccess } from '../../access/port.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Environment } from '../../tenancy/port.ts';
import type { DecidedOutcome, RecordedCall } from './recorded-rows.ts';

/** The workspace in which a call was decided. */
interface DecidedPlace {
  readonly orgCode: string;
  readonly env: Environment;
  readonly tenantId: string;
  readonly tenantCode: string;
}

/** A call that policies have decided. */
export interface DecidedCall {
  readonly access: CompiledAccess;
  readonly place: DecidedPlace;
  readonly userId: string;
  readonly email: string;
  readonly action: string;
  /** Resources of calls of this kind share the first `commonLength` characters; `rest` stands for the others. */
  readonly resource: string;
  readonly commonLength: number;
  readonly rest: '' | '{id}' | '{path}';
  readonly outcome: DecidedOutcome;
  /** Whether a logic block made it, by policies of its own. */
  readonly isOfBlock: boolean;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Reads what is kept of the call: asked of the few calls that are samples. */
  sample(): RecordedCall;
}

/** The caller of a call, and its time. */
export interface CountedCaller {
  readonly caller: {
    readonly claims: { readonly sub: string };
    readonly place: { readonly access: CompiledAccess; readonly workspace: DecidedPlace } | undefined;
  };
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** A call that policies allow. */
export interface CountedCall {
  readonly resource: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Calls that are alike, since they were stored last. */
export interface BufferedDecision extends Omit<DecidedCall, 'sample' | 'time' | 'resource' | 'commonLength'> {
  readonly common: string;
  calls: number;
  lastAt: number;
  readonly samples: RecordedCall[];
  /** The call, counted from the first, that is the next sample. */
  nextSample: number;
  /** The weight in `#planSample`: the smaller it is, the rarer later samples are. */
  rarity: number;
  /** The memory it keeps alive, in parts of about 2 KB. */
  readonly parts: number;
}

/** Of one org in one environment. */
export interface BufferedOrg extends Pick<DecidedPlace, 'orgCode' | 'env'> {
  readonly decisions: readonly BufferedDecision[];
  /** Calls that found no room. */
  readonly left: number;
}

interface BufferLimits {
  readonly decisionsMax: number;
  readonly partsMax: number;
  readonly samplesMax: number;
}

/** So often chance is asked for a decision that gives way. */
const attemptsMax = 8;

const usualLimits: BufferLimits = { decisionsMax: 4000, partsMax: 40_000, samplesMax: 2 };

interface OrgBuffer extends Pick<DecidedPlace, 'orgCode' | 'env'> {
  decisions: number;
  left: number;
}

/** Each action of one caller: its calls by outcome, workspace and kind of resource, which are few. */
type ByAction = Map<string, BufferedDecision[]>;

/**
 * The decisions of all orgs that wait to be stored: one bounded number of them, however many orgs there are. Once it is
 * full, an org that has less than the org of a decision taken by chance gets its place, so that none crowds out others.
 */
export class DecisionBuffer {
  readonly #limits: BufferLimits;
  readonly #random: () => number;
  readonly #byAccess = new Map<CompiledAccess, ByAction>();
  #all: BufferedDecision[] = [];
  #parts = 0;
  readonly #orgs = new Map<string, OrgBuffer>();

  constructor({ random = Math.random, ...limits }: Partial<BufferLimits> & { readonly random?: () => number } = {}) {
    this.#limits = { ...usualLimits, ...limits };
    this.#random = random;
  }

  get size(): number {
    return this.#all.length;
  }

  note(call: DecidedCall): void {
    const known = this.#alike(call);
    if (known === undefined) {
      this.#add(call);
      return;
    }
    known.calls += 1;
    known.lastAt = call.time;
    if (known.calls >= known.nextSample) this.#takeSample(known, call);
  }

  /** Counts an allowed call that is like others before it. @returns false where it is new, or is to be a sample. */
  count({ caller: { claims, place }, time }: CountedCaller, action: string, call: CountedCall): boolean {
    if (place === undefined) return false;
    const all = this.#byAccess.get(place.access)?.get(action);
    if (all === undefined) return false;
    for (const known of all) {
      if (known.userId !== claims.sub || known.place.tenantId !== place.workspace.tenantId) continue;
      if (!isAllowedAlike(known, call)) continue;
      if (known.calls + 1 >= known.nextSample) return false;
      known.calls += 1;
      known.lastAt = time;
      return true;
    }
    return false;
  }

  #takeSample(known: BufferedDecision, call: DecidedCall): void {
    const { samples } = known;
    const { samplesMax } = this.#limits;
    if (samples.length < samplesMax) samples.push(call.sample());
    else samples[Math.floor(this.#random() * samplesMax)] = call.sample();
    this.#planSample(known);
  }

  /**
   * Each of the calls is as likely to be among the samples, and chance is asked once for each sample and not for each
   * call (algorithm L of Li, Reservoir-sampling algorithms of time complexity O(n(1 + log(N/n))), 1994).
   */
  #planSample(known: BufferedDecision): void {
    const { samplesMax } = this.#limits;
    known.nextSample = known.calls + 1;
    if (known.samples.length < samplesMax) return;
    const chance = (): number => Math.log(1 - this.#random());
    known.rarity *= Math.exp(chance() / samplesMax);
    known.nextSample += Math.floor(chance() / Math.log1p(-known.rarity));
  }

  #alike(call: DecidedCall): BufferedDecision | undefined {
    const all = this.#byAccess.get(call.access)?.get(call.action);
    if (all === undefined) return undefined;
    for (const one of all) if (isAlike(one, call)) return one;
    return undefined;
  }

  /** Of what waits. */
  places(): readonly Pick<DecidedPlace, 'orgCode' | 'env'>[] {
    return [...this.#orgs.values()].map(({ orgCode, env }) => ({ orgCode, env }));
  }

  /** Those of all orgs, or of one: they are the caller's from then on. */
  take(of?: Pick<DecidedPlace, 'orgCode' | 'env'>): readonly BufferedOrg[] {
    const isChosen = ({ orgCode, env }: Pick<DecidedPlace, 'orgCode' | 'env'>): boolean =>
      of === undefined || (orgCode === of.orgCode && env === of.env);
    const taken = new Map<string, BufferedDecision[]>();
    const kept: BufferedDecision[] = [];
    for (const one of this.#all) {
      if (!isChosen(one.place)) {
        kept.push(one);
        continue;
      }
      const key = keyOf(one.place);
      const others = taken.get(key);
      if (others === undefined) taken.set(key, [one]);
      else others.push(one);
      this.#forget(one);
    }
    this.#all = kept;
    return [...this.#orgs]
      .filter(([, org]) => isChosen(org))
      .map(([key, { orgCode, env, left }]) => {
        this.#orgs.delete(key);
        return { orgCode, env, left, decisions: taken.get(key) ?? [] };
      });
  }

  #add(call: DecidedCall): void {
    const parts = 1 + call.access.statementCount + call.access.patternCount / 20;
    const org = this.#orgOf(call.place);
    if (org === undefined) return;
    while (this.#all.length >= this.#limits.decisionsMax || this.#parts + parts > this.#limits.partsMax) {
      if (this.#makeRoom(org)) continue;
      org.left += 1;
      return;
    }
    const { access, place, userId, email, action, resource, commonLength, rest, outcome, isOfBlock, time } = call;
    const { orgCode, env, tenantId, tenantCode } = place;
    const made: BufferedDecision = {
      ...{ access, userId, email, action, rest, outcome, isOfBlock, parts },
      common: resource.slice(0, commonLength),
      place: { orgCode, env, tenantId, tenantCode },
      ...{ calls: 1, lastAt: time, samples: [call.sample()] },
      ...{ nextSample: 2, rarity: 1 },
    };
    this.#planSample(made);
    const byAction: ByAction = this.#byAccess.get(access) ?? new Map();
    this.#byAccess.set(access, byAction);
    byAction.set(action, [...(byAction.get(action) ?? []), made]);
    this.#all.push(made);
    this.#parts += parts;
    org.decisions += 1;
  }

  /** Undefined where there are as many orgs as decisions: then this org waits for the next time. */
  #orgOf({ orgCode, env, ...place }: DecidedPlace): OrgBuffer | undefined {
    const key = keyOf({ orgCode, env, ...place });
    const known = this.#orgs.get(key);
    if (known !== undefined || this.#orgs.size >= this.#limits.decisionsMax) return known;
    const made = { orgCode, env, decisions: 0, left: 0 };
    this.#orgs.set(key, made);
    return made;
  }

  #makeRoom(org: OrgBuffer): boolean {
    for (let attempt = 0; attempt < attemptsMax; attempt++)
      if (this.#takeFrom(Math.floor(this.#random() * this.#all.length), org)) return true;
    return false;
  }

  #takeFrom(at: number, org: OrgBuffer): boolean {
    const victim = this.#all[at];
    const loser = victim === undefined ? undefined : this.#orgs.get(keyOf(victim.place));
    if (victim === undefined || loser === undefined || loser.decisions <= org.decisions + 1) return false;
    const last = this.#all.pop();
    if (last !== undefined && last !== victim) this.#all[at] = last;
    this.#forget(victim);
    loser.decisions -= 1;
    loser.left += victim.calls;
    return true;
  }

  #forget(one: BufferedDecision): void {
    this.#parts -= one.parts;
    const byAction = this.#byAccess.get(one.access);
    const left = (byAction?.get(one.action) ?? []).filter((other) => other !== one);
    if (left.length > 0) byAction?.set(one.action, left);
    else byAction?.delete(one.action);
    if (byAction?.size === 0) this.#byAccess.delete(one.access);
  }
}

function isAlike(one: BufferedDecision, call: DecidedCall): boolean {
  return (
    one.outcome === call.outcome &&
    one.rest === call.rest &&
    one.common.length === call.commonLength &&
    call.resource.startsWith(one.common) &&
    one.userId === call.userId &&
    one.place.tenantId === call.place.tenantId
  );
}

function isAllowedAlike(one: BufferedDecision, { resource, params: { id, path } }: CountedCall): boolean {
  const { common, rest, outcome } = one;
  if (outcome !== 'allowed' || path !== undefined) return false;
  if (id === undefined || id === '') return rest === '' && resource === common;
  return rest === '{id}' && resource.length === common.length + id.length && resource.startsWith(common);
}

function keyOf({ orgCode, env }: Pick<DecidedPlace, 'orgCode' | 'env'>): string {
  return `${env} ${orgCode}`;
}

/** The data that are kept of a call beside what its decision asked for. */
export function recordedCall(
  call: Omit<RecordedCall, 'at' | 'looks' | 'origin' | 'params'> & {
    readonly time: number;
    readonly origin: string | undefined;
    readonly params: Readonly<Record<string, string>>;
  },
  looks: RecordedCall['looks'],
): RecordedCall {
  const { method, resource, ip, time, origin } = call;
  const { id, entity } = call.params;
  // Policies may ask for no other.
  const params = { ...(id === undefined ? {} : { id }), ...(entity === undefined ? {} : { entity }) };
  return { at: timestamp(time), method, resource, params, ip, ...(origin === undefined ? {} : { origin }), looks };
}
