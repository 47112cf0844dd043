/** What steps ask of systems outside of the platform. */

export interface HttpAsk {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly secret?: SecretUse;
}

/** A secret of the vault in one header: after `prefix`, or as the password of `basic`. */
export interface SecretUse {
  readonly name: string;
  readonly header: string;
  readonly prefix?: string;
  readonly basic?: string;
}

/** The value of a step of the type `http`. */
export interface HttpValue {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface MailAsk {
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}
