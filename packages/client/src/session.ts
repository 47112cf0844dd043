/** The token of an app client: kept, shown as a session, and renewed. */
import type { FreeholdError } from './errors.ts';

/** Who is signed in, and in which workspace. */
export interface Session {
  readonly userId: string;
  /** `null` as long as the user is in no workspace. */
  readonly tenantId: string | null;
  readonly tenantCode: string | null;
  readonly email: string;
  readonly expiresAt: string;
}

/**
 * Where a session outlives the program: `localStorage` and `sessionStorage` fit as they are. Left out, or where it throws,
 * the session ends with the program.
 */
export interface SessionStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** As the token endpoint answers. */
export interface ExchangedToken {
  readonly token: string;
  readonly expires_at: string;
  readonly user_id: string;
  readonly tenant_id: string | null;
  readonly tenant_code: string | null;
}

/** With the time of this machine, whose clock need not be that of the platform. */
interface Held extends ExchangedToken {
  readonly obtained: number;
}

export interface SessionOptions {
  readonly storage: SessionStorage | undefined;
  readonly key: string;
  /** The token to begin with, where there is no storage. */
  readonly first?: ExchangedToken | undefined;
  readonly now: () => number;
  /** Asks for a token in exchange for one that is still valid, of the same workspace. */
  readonly exchange: (token: string, tenantCode: string | null) => Promise<ExchangedToken>;
  readonly onSignedOut: ((error: FreeholdError) => void) | undefined;
}

/** Between two attempts to renew a token that is still good. */
const renewalPauseMilliseconds = 30_000;

export class SessionHolder {
  readonly #options: SessionOptions;
  readonly #listeners = new Set<(session: Session | undefined) => void>();
  #held: Held | undefined;
  #renewal: Promise<void> | undefined;
  #lastAttempt = Number.NEGATIVE_INFINITY;
  /** Whether the storage took the last change. If not, what it holds is older than the session in memory. */
  #isStored = true;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#held = this.#stored() ?? (options.first && { ...options.first, obtained: options.now() });
    watchStorage(options, () => this.#reload());
  }

  get session(): Session | undefined {
    if (this.#held === undefined) return undefined;
    const { token, user_id, tenant_id, tenant_code, expires_at } = this.#held;
    const email = String(claimsOf(token).email ?? '');
    return { userId: user_id, tenantId: tenant_id, tenantCode: tenant_code, email, expiresAt: expires_at };
  }

  listen(listener: (session: Session | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  set(token: ExchangedToken | undefined): void {
    this.#held = token && { ...token, obtained: this.#options.now() };
    this.#store(this.#held);
    this.#tell();
  }

  /** Browsers refuse storage where it is full or turned off: the session is then that of the program alone. */
  #store(held: Held | undefined): void {
    const { storage, key } = this.#options;
    try {
      if (held !== undefined) storage?.setItem(key, JSON.stringify(held));
      else storage?.removeItem(key);
      this.#isStored = true;
    } catch {
      // Else the next program would go on with the session before.
      if (held !== undefined) this.#store(undefined);
      this.#isStored = false;
    }
  }

  /** The token for a call. One that is soon over is renewed meanwhile. */
  token(): ExchangedToken | undefined {
    if (this.#held !== undefined && this.#isDue(this.#held)) this.renew().catch(() => undefined);
    return this.#held;
  }

  /**
   * A token to use in place of one that was refused, of the same user and workspace.
   * @throws `refusal` if there is none. If it is the token that is held, the session is over.
   */
  async replacementOf(used: ExchangedToken, refusal: FreeholdError): Promise<ExchangedToken> {
    await this.#renewal?.catch(() => undefined);
    this.#reload();
    if (this.#held?.token === used.token && refusal.code === 'token_expired') await this.renew().catch(() => undefined);
    const held = this.#held;
    if (held?.token === used.token) {
      this.set(undefined);
      this.#options.onSignedOut?.(refusal);
    } else if (held?.user_id === used.user_id && held.tenant_id === used.tenant_id) return held;
    throw refusal;
  }

  /** Asks for one fresh token, however many callers want it. */
  renew(): Promise<void> {
    this.#renewal ??= this.#renewed().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** Signs out here. @returns the token that was held, once no other is on its way. */
  async end(): Promise<ExchangedToken | undefined> {
    await this.#renewal?.catch(() => undefined);
    const held = this.#held;
    if (held !== undefined) this.set(undefined);
    return held;
  }

  async #renewed(): Promise<void> {
    const before = this.#held;
    if (before === undefined) return;
    this.#lastAttempt = this.#options.now();
    const token = await this.#options.exchange(before.token, before.tenant_code);
    // Meanwhile the user may have signed out, or switched the workspace.
    if (this.#held === before) this.set(token);
  }

  #isDue({ token, obtained }: Held): boolean {
    const now = this.#options.now();
    const { iat, exp } = claimsOf(token);
    const life = (Number(exp) - Number(iat)) * 1000;
    const age = now - obtained;
    const isLate = age > life * 0.8 || life - age < 5 * 60_000;
    return isLate && now - this.#lastAttempt > renewalPauseMilliseconds;
  }

  /** Changes that another tab has stored since. */
  #reload(): void {
    if (this.#options.storage === undefined || !this.#isStored) return;
    const stored = this.#stored(this.#held);
    if (stored?.token === this.#held?.token) return;
    this.#held = stored;
    this.#tell();
  }

  /** @param otherwise where the storage cannot be read */
  #stored(otherwise?: Held): Held | undefined {
    const { storage, key } = this.#options;
    let text: string | null;
    try {
      text = storage?.getItem(key) ?? null;
    } catch {
      return otherwise;
    }
    return heldIn(text ?? 'null');
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener(this.session);
  }
}

function heldIn(text: string): Held | undefined {
  try {
    const held: unknown = JSON.parse(text);
    return isHeld(held) ? held : undefined;
  } catch {
    return undefined;
  }
}

function isHeld(value: unknown): value is Held {
  return typeof value === 'object' && value !== null && 'token' in value && 'user_id' in value && 'obtained' in value;
}

/** What a token says. Only the platform can tell whether it is true. */
function claimsOf(token: string): Readonly<Record<string, unknown>> {
  try {
    const part = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return {};
  }
}

/** Browsers tell the other tabs of a page what one of them stores. */
function watchStorage({ storage, key }: SessionOptions, reload: () => void): void {
  const { addEventListener } = globalThis as {
    addEventListener?: (type: string, listen: (event: object) => void) => void;
  };
  if (storage === undefined || typeof addEventListener !== 'function') return;
  addEventListener.call(globalThis, 'storage', (event) => {
    if ('key' in event && (event.key === key || event.key === null)) reload();
  });
}
