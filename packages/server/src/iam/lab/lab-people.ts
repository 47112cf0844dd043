import { type AttachedPolicy, type CompiledAccess, compilePolicies, countPatterns } from '../../access/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { findMember } from '../iam-rules.ts';
import { heldPolicies, rememberingReader } from '../policies/held-policies.ts';
import { describeExcess } from '../policies/resolve-access.ts';
import type { RecordedCaller } from '../recording/decide-again.ts';

/** A member with what the member holds now. */
export interface LabPerson {
  readonly userId: string;
  readonly email: string;
  readonly caller: RecordedCaller;
  readonly held: readonly AttachedPolicy[];
}

/** Each member is read once. */
export class LabPeople {
  readonly #workspace: Workspace;
  readonly #read = rememberingReader();
  readonly #known = new Map<string, LabPerson | undefined>();
  readonly #compiled = new Map<string, CompiledAccess>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  get size(): number {
    return this.#known.size;
  }

  has(userId: string): boolean {
    return this.#known.has(userId);
  }

  /** Undefined for a user who is no member any more. */
  async person(userId: string): Promise<LabPerson | undefined> {
    if (this.#known.has(userId)) return this.#known.get(userId);
    const { tenantId, tenantCode } = this.#workspace;
    const data = (await findMember(this.#workspace, userId))?.data;
    const person =
      data === undefined
        ? undefined
        : {
            userId,
            email: String(data.email),
            caller: { user: { id: userId, email: String(data.email) }, tenant: { id: tenantId, code: tenantCode } },
            held: await heldPolicies(this.#workspace, userId, this.#read),
          };
    this.#known.set(userId, person);
    return person;
  }

  /** Most members hold the same policies. @param kind tells apart what is held now and what is held in a trial. */
  access(held: readonly AttachedPolicy[], kind = ''): CompiledAccess {
    const key = kind + JSON.stringify(held.map(({ policyId, via }) => [policyId, via]));
    const known = this.#compiled.get(key);
    if (known !== undefined) return known;
    const isTooMuch = describeExcess(countPatterns(held)) !== undefined;
    const access = compilePolicies(isTooMuch ? [] : held);
    this.#compiled.set(key, access);
    return access;
  }
}
