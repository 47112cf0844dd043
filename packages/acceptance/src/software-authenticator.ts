import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { PasskeyOptions } from './second-factor-calls.ts';

export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

/** What is done otherwise than an honest authenticator and browser do it. */
export interface Lie {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly challenge?: string;
  /** Leaves the user unverified. */
  readonly isUnverified?: true;
  readonly counter?: number;
  readonly userHandle?: string;
  /** Of another passkey. */
  readonly id?: string;
}

/** A passkey in memory (WebAuthn, level 3): ES256, without attestation, with a counter. */
export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly id = randomBytes(32).toString('base64url');
  #counter = 0;
  #userHandle = '';

  constructor(origin: string) {
    this.#origin = origin;
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  /** `navigator.credentials.create`, as JSON. */
  create({ challenge, rp, user }: CreationOptions, lie: Lie = {}): object {
    this.#userHandle = user.id;
    const clientDataJSON = this.#clientData('webauthn.create', challenge, lie);
    const id = Buffer.from(this.id, 'base64url');
    const authData = Buffer.concat([
      this.#authenticatorData(rp.id, 0x40, lie),
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      this.#coseKey(),
    ]);
    const attestationObject = Buffer.concat([
      Buffer.from([0xa3, 0x63]),
      Buffer.from('fmt'),
      Buffer.from([0x64]),
      Buffer.from('none'),
      Buffer.from([0x67]),
      Buffer.from('attStmt'),
      Buffer.from([0xa0, 0x68]),
      Buffer.from('authData'),
      Buffer.from([0x59, authData.length >> 8, authData.length & 0xff]),
      authData,
    ]);
    const response = {
      clientDataJSON,
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    };
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  /** `navigator.credentials.get`, as JSON. */
  get({ challenge, rpId }: Pick<PasskeyOptions, 'challenge' | 'rpId'>, lie: Lie = {}): object {
    const clientDataJSON = this.#clientData('webauthn.get', challenge, lie);
    const authenticatorData = this.#authenticatorData(rpId, 0, lie);
    const clientHash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const signature = sign('sha256', Buffer.concat([authenticatorData, clientHash]), this.#keys.privateKey);
    const id = lie.id ?? this.id;
    const response = {
      clientDataJSON,
      authenticatorData: authenticatorData.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: lie.userHandle ?? this.#userHandle,
    };
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: string, lie: Lie): string {
    const data = { type, challenge, origin: this.#origin, crossOrigin: false, ...origins(lie) };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }

  #authenticatorData(rpId: string, more: number, lie: Lie): Buffer {
    this.#counter = lie.counter ?? this.#counter + 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    const rpHash = createHash('sha256')
      .update(lie.rpId ?? rpId)
      .digest();
    const flags = 0x01 | (lie.isUnverified === true ? 0 : 0x04) | more;
    return Buffer.concat([rpHash, Buffer.from([flags]), counter]);
  }

  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    return Buffer.concat([
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
      Buffer.from(x, 'base64url'),
      Buffer.from([0x22, 0x58, 0x20]),
      Buffer.from(y, 'base64url'),
    ]);
  }
}

function origins({ origin, type, challenge }: Lie): object {
  return {
    ...(origin === undefined ? {} : { origin }),
    ...(type === undefined ? {} : { type }),
    ...(challenge === undefined ? {} : { challenge }),
  };
}
