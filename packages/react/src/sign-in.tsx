import type { JoinOffer } from '@freehold/client';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useApp } from './app-context.ts';
import type { App } from './register.ts';
import { appKey } from './scope.ts';

/** An OIDC provider of the app. */
export interface Provider {
  readonly issuer: string;
  readonly name: string;
  readonly client_ids: readonly string[];
}

interface Offers {
  readonly items: readonly Provider[];
  readonly password_login: { readonly enabled: boolean; readonly allow_signup: boolean };
}

/** What the form says; each text can be replaced. */
export interface SignInTexts {
  readonly title: string;
  readonly email: string;
  readonly password: string;
  readonly submit: string;
  readonly signUp: string;
  readonly provider: (name: string) => string;
  readonly noWay: string;
  /** Another account waits under the address of a user who comes by a provider. */
  readonly join: string;
  readonly sendLink: string;
  readonly linkSent: string;
  readonly goOn: string;
}

interface SignInProps {
  /** Has the user sign in at a provider. @returns the identity token that the provider gave. Left out, no provider is offered. */
  readonly onProvider?: (provider: Provider) => Promise<string>;
  /** Called once the user is signed in. */
  readonly onSignedIn?: () => void;
  readonly texts?: Partial<SignInTexts>;
  /** Shown below the form. */
  readonly children?: ReactNode;
}

const english: SignInTexts = {
  title: 'Sign in',
  email: 'Email',
  password: 'Password',
  submit: 'Sign in',
  signUp: 'A new email address makes an account; its password has at least 10 characters.',
  provider: (name) => `Continue with ${name}`,
  noWay: 'This app offers no way to sign in here.',
  join: 'There is an account under your address. Follow the link that we mailed to use it.',
  sendLink: 'Mail the link again',
  linkSent: 'The link is on its way.',
  goOn: 'Continue',
};

/**
 * A form to sign in: by password, and by the providers of the app. It brings no styles; the classes begin with `fh-`.
 */
export function SignIn({ onProvider, onSignedIn, texts, children }: SignInProps) {
  const app = useApp();
  const offers = useOffers(app);
  const { error, isBusy, enter } = useEntering(onSignedIn);
  const [joining, setJoining] = useState<Joining>();
  const words = { ...english, ...texts };
  const titleId = useId();
  const providers = onProvider === undefined ? [] : (offers.data?.items ?? []);
  const withPassword = offers.data?.password_login.enabled ?? false;
  const enterBy = async (provider: Provider) => {
    const token = await onProvider?.(provider);
    if (token === undefined) return;
    const onJoin = (offer: JoinOffer) => new Promise<void>((resume) => setJoining({ offer, goOn: resume }));
    await app.signInWithToken(token, { onJoin });
  };
  if (joining !== undefined)
    return (
      <JoinNotice
        {...joining}
        words={words}
        goOn={() => {
          setJoining(undefined);
          joining.goOn();
        }}
      />
    );
  return (
    <section className="fh-sign-in" aria-labelledby={titleId}>
      <h1 id={titleId}>{words.title}</h1>
      <p className="fh-error" role="alert">
        {offers.error?.message ?? error}
      </p>
      {withPassword && (
        <PasswordForm
          words={words}
          isBusy={isBusy}
          allowsSignUp={offers.data?.password_login.allow_signup ?? false}
          onSubmit={(credentials) => enter(() => app.signIn(credentials))}
        />
      )}
      {providers.length > 0 && (
        <ul className="fh-providers">
          {providers.map((provider) => (
            <li key={provider.issuer}>
              <button
                type="button"
                className="fh-provider"
                disabled={isBusy}
                onClick={() => void enter(() => enterBy(provider))}
              >
                {words.provider(provider.name)}
              </button>
            </li>
          ))}
        </ul>
      )}
      {offers.data !== undefined && !withPassword && providers.length === 0 && <p>{words.noWay}</p>}
      {children}
    </section>
  );
}

/** A sign-in that waits until the user has read of the other account. */
interface Joining {
  readonly offer: JoinOffer;
  readonly goOn: () => void;
}

function JoinNotice({ offer, goOn: proceed, words }: Joining & { readonly words: SignInTexts }) {
  const titleId = useId();
  const text = useRef<HTMLParagraphElement>(null);
  const [isSent, setSent] = useState(false);
  const { error, isBusy, enter } = useEntering(() => setSent(true));
  // The button that had the focus is gone.
  useEffect(() => text.current?.focus(), []);
  const send = () => {
    setSent(false);
    void enter(() => offer.sendLink());
  };
  return (
    <section className="fh-sign-in" aria-labelledby={titleId}>
      <h1 id={titleId}>{words.title}</h1>
      <p className="fh-error" role="alert">
        {error}
      </p>
      <p className="fh-join" ref={text} tabIndex={-1}>
        {words.join}
      </p>
      <p className="fh-hint" role="status">
        {isSent && words.linkSent}
      </p>
      <button type="button" className="fh-send-link" disabled={isBusy} onClick={send}>
        {words.sendLink}
      </button>
      <button type="button" className="fh-submit" onClick={proceed}>
        {words.goOn}
      </button>
    </section>
  );
}

/** What `/providers` says is the same for every user. */
function useOffers(app: App) {
  return useQuery({
    queryKey: ['freehold-public', ...appKey(app), 'providers'],
    queryFn: () => app.request<Offers>('GET', '/providers', { headers: { 'client-id': app.options.clientId } }),
    staleTime: 300_000,
    retry: false,
  });
}

function useEntering(onSignedIn: (() => void) | undefined) {
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const enter = async (way: () => Promise<unknown>): Promise<boolean> => {
    // Emptied first: the same sentence a second time would be announced to no one.
    setError(undefined);
    setBusy(true);
    try {
      await way();
      onSignedIn?.();
      return true;
    } catch (reason) {
      setError(reason instanceof Error ? reason.message : String(reason));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { error, isBusy, enter };
}

interface PasswordFormProps {
  readonly words: SignInTexts;
  readonly isBusy: boolean;
  readonly allowsSignUp: boolean;
  readonly onSubmit: (credentials: { readonly email: string; readonly password: string }) => Promise<boolean>;
}

function PasswordForm({ words, isBusy, allowsSignUp, onSubmit }: PasswordFormProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const passwordInput = useRef<HTMLInputElement>(null);
  const hintId = useId();
  const [emailId, passwordId] = [useId(), useId()];
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (await onSubmit({ email, password })) return;
    passwordInput.current?.focus();
    passwordInput.current?.select();
  };
  return (
    <form className="fh-form" onSubmit={(event) => void submit(event)}>
      <label htmlFor={emailId}>{words.email}</label>
      <input
        id={emailId}
        className="fh-input"
        type="email"
        autoComplete="username"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <label htmlFor={passwordId}>{words.password}</label>
      <input
        id={passwordId}
        ref={passwordInput}
        className="fh-input"
        type="password"
        autoComplete="current-password"
        required
        aria-describedby={allowsSignUp ? hintId : undefined}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {allowsSignUp && (
        <p id={hintId} className="fh-hint">
          {words.signUp}
        </p>
      )}
      <button type="submit" className="fh-submit" disabled={isBusy}>
        {words.submit}
      </button>
    </form>
  );
}
