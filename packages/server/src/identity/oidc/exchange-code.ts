import { unansweredReason } from '../../lib/network/guarded-request.ts';
import { invalidBody, type Problem } from '../../lib/problem.ts';
import { type PostForm, UnusableAnswer } from './fetch-json.ts';
import { membersOf } from './key-set.ts';

/** What a provider sent a browser back with, and what the browser began the sign-in with. */
export interface SignInCode {
  readonly value: string;
  readonly verifier: string;
  readonly redirect_uri: string;
  readonly client_id: string;
}

/**
 * Exchanges an authorization code for an identity token, as a public client with PKCE (RFC 6749, 4.1.3; RFC 7636, 4.5).
 * @throws Problem `validation_failed` at `/code` where the provider gives none.
 */
export async function exchangeCode(postForm: PostForm, tokenEndpoint: string, code: SignInCode): Promise<string> {
  const form = {
    grant_type: 'authorization_code',
    code: code.value,
    code_verifier: code.verifier,
    redirect_uri: code.redirect_uri,
    client_id: code.client_id,
  };
  const { status, body } = await postForm(tokenEndpoint, form).catch((error: unknown) => {
    const why = error instanceof UnusableAnswer ? error.message : unansweredReason(error);
    throw atCode('unreachable', `the provider did not exchange the code: ${why}`);
  });
  const { id_token, error, error_description } = membersOf(body);
  if (status === 200 && typeof id_token === 'string') return id_token;
  if (status === 200) throw atCode('no_id_token', 'the provider gave no identity token: request the scope `openid`');
  const described = typeof error_description === 'string' ? ` (${shortened(error_description)})` : '';
  const name = typeof error === 'string' ? `\`${shortened(error)}\`${described}` : `status ${status}`;
  const hint =
    error === 'invalid_client' || error === 'unauthorized_client'
      ? '. The client may need a secret at the provider, which this test does not send: paste an identity token instead'
      : '';
  throw atCode('provider_refused', `the provider refused the code: ${name}${hint}`);
}

export function atCode(code: string, message: string): Problem {
  return invalidBody([{ pointer: '/code', code, message }]);
}

function shortened(text: string): string {
  return text.slice(0, 200).toWellFormed();
}
