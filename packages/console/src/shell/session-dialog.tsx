import { useEffect, useState } from 'react';
import { queryClient } from '../api/query-client.ts';
import { meQuery } from '../api/session.ts';
import { onSessionEnd } from '../api/session-end.ts';
import { lazyPart } from '../components/lazy.tsx';

/** Comes after the first content, so that it is there when the platform is not. */
const SignInAgain = lazyPart(async () => (await import('./sign-in-again.tsx')).SignInAgain, null);

/** Over the screen when the session has ended, so that nothing that was typed is lost. */
export function SessionDialog() {
  const [answer, setAnswer] = useState<(isSignedIn: boolean) => void>();
  useEffect(
    () =>
      onSessionEnd(
        () =>
          new Promise((resolve) => {
            if (queryClient.getQueryData(meQuery.queryKey) === undefined) resolve(false);
            else setAnswer(() => resolve);
          }),
      ),
    [],
  );
  const end = (isSignedIn: boolean) => {
    answer?.(isSignedIn);
    setAnswer(undefined);
  };
  return <SignInAgain isOpen={answer !== undefined} end={end} />;
}
