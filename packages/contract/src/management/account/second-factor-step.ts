import { Type } from '@sinclair/typebox';
import { anyObject, closed, named, oneOf, text, time } from '../../schema.ts';

const base64url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' });

/** At least 16 bytes, as WebAuthn has it, and at most 1023. */
const credentialId = Type.String({ minLength: 22, maxLength: 1364, pattern: '^[A-Za-z0-9_-]+$' });

const transports = Type.Array(Type.String({ maxLength: 32 }), { maxItems: 10 });

const credentialMembers = {
  id: credentialId,
  rawId: credentialId,
  type: Type.Literal('public-key'),
  authenticatorAttachment: Type.Optional(Type.String({ maxLength: 32 })),
  clientExtensionResults: anyObject(),
};

/** What a browser makes of a new passkey: `RegistrationResponseJSON` of WebAuthn. */
export const NewPasskey = named(
  'NewPasskey',
  Type.Object({
    ...credentialMembers,
    response: Type.Object({
      clientDataJSON: base64url(4096),
      attestationObject: base64url(32_768),
      transports: Type.Optional(transports),
    }),
  }),
);

/** What a browser makes of a passkey that is used: `AuthenticationResponseJSON` of WebAuthn. */
export const PasskeyAssertion = named(
  'PasskeyAssertion',
  Type.Object({
    ...credentialMembers,
    response: Type.Object({
      clientDataJSON: base64url(4096),
      authenticatorData: base64url(4096),
      signature: base64url(2048),
      userHandle: Type.Optional(Type.String({ maxLength: 128, pattern: '^[A-Za-z0-9_-]*$' })),
    }),
  }),
);

const passkeyName = Type.Object({ id: text, type: Type.Literal('public-key'), transports: Type.Optional(transports) });

/** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. */
export const PasskeyRequest = named(
  'PasskeyRequest',
  Type.Object({
    challenge: text,
    rpId: text,
    timeout: Type.Integer({ description: 'For how many milliseconds the challenge is valid.' }),
    userVerification: Type.Literal('required'),
    allowCredentials: Type.Array(passkeyName),
  }),
);

/** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. */
export const PasskeyCreation = named(
  'PasskeyCreation',
  Type.Object({
    challenge: text,
    rp: Type.Object({ id: text, name: text }),
    user: Type.Object({ id: text, name: text, displayName: text }),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.Literal('public-key'), alg: Type.Integer() })),
    timeout: Type.Integer({ description: 'For how many milliseconds the challenge is valid.' }),
    attestation: Type.Literal('none'),
    excludeCredentials: Type.Array(passkeyName),
    authenticatorSelection: Type.Object({
      residentKey: Type.Literal('required'),
      requireResidentKey: Type.Literal(true),
      userVerification: Type.Literal('required'),
    }),
  }),
);

/** One of them proves a second factor. */
export const proofMembers = {
  code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 16, description: 'What the authenticator app shows; valid once.' }),
  ),
  recovery_code: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Valid once.' })),
  passkey: Type.Optional(PasskeyAssertion),
};

export const SecondFactorMethod = named('SecondFactorMethod', oneOf(['totp', 'passkey', 'recovery_code']));

/** The reply to a sign-in whose account has a second factor. */
export const SecondFactorStep = named(
  'SecondFactorStep',
  Type.Object({
    second_factor: closed({
      methods: Type.Array(SecondFactorMethod),
      token: Type.String({ description: 'What `POST /auth/second-factor` takes, once.' }),
      expires_at: time,
      codes_locked: Type.Optional(
        Type.Literal(true, {
          description: 'Set after 10 wrong codes in a row: no code is taken until another factor was proved.',
        }),
      ),
      passkey: Type.Optional(PasskeyRequest),
    }),
  }),
);
