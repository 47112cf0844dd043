import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A passkey in memory, as an honest authenticator and browser make and use it. */
export class SoftwarePasskey {
  readonly id = randomBytes(32).toString('base64url');
  readonly #origin: string;
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  #counter = 0;
  #handle = '';

  constructor(origin: string) {
    this.#origin = origin;
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  create({ challenge, rp, user }: { challenge: string; rp: { id: string }; user: { id: string } }): object {
    this.#handle = user.id;
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    const hex = (text: string) => Buffer.from(text, 'base64url').toString('hex');
    // CBOR: the COSE key, and the attestation object of the format `none` around what the authenticator says.
    const cose = `a5010203262001215820${hex(x)}225820${hex(y)}`;
    const description = `${this.#data(rp.id, 0x45).toString('hex')}${'00'.repeat(16)}0020${hex(this.id)}${cose}`;
    const length = (description.length / 2).toString(16).padStart(4, '0');
    const attestation = `a363666d74646e6f6e656761747453746d74a068617574684461746159${length}${description}`;
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', challenge),
      attestationObject: Buffer.from(attestation, 'hex').toString('base64url'),
      transports: ['internal'],
    });
  }

  get({ challenge, rpId }: { challenge: string; rpId: string }): object {
    const clientDataJSON = this.#clientData('webauthn.get', challenge);
    const data = this.#data(rpId, 0x05);
    const signed = Buffer.concat([data, hash('sha256', Buffer.from(clientDataJSON, 'base64url'), 'buffer')]);
    return this.#credential({
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: this.#handle,
    });
  }

  #credential(response: object): object {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: string): string {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.#origin })).toString('base64url');
  }

  #data(rpId: string, flags: number): Buffer {
    this.#counter += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    return Buffer.concat([hash('sha256', rpId, 'buffer'), Buffer.from([flags]), counter]);
  }
}
