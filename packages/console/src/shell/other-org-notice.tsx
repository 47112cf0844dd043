import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../api/call.ts';
import { queryClient } from '../api/query-client.ts';
import { meQuery, usePlace } from '../api/session.ts';
import { onOrgMismatch } from '../api/tab-org.ts';
import { lazyPart } from '../components/lazy.tsx';
import { type Other, onOtherOrg } from './org-channel.ts';

/** Comes after the first content. */
const OtherOrgDialog = lazyPart(async () => (await import('./other-org-dialog.tsx')).OtherOrgDialog, null);

/**
 * The session of the browser has moved to another org in another tab, or has ended there. The tab waits until the user
 * chooses. Going back keeps what was typed, and calls that were refused are sent again.
 */
export function OtherOrgNotice() {
  const { org } = usePlace();
  const [other, setOther] = useState<Other>();
  const waiting = useRef<(isBack: boolean) => void>(undefined);
  const end = useCallback((isBack: boolean) => {
    waiting.current?.(isBack);
    waiting.current = undefined;
    setOther(undefined);
  }, []);
  useEffect(() => {
    return onOtherOrg((code) => {
      if (code !== org) return setOther({ code });
      // It may be another builder who has signed in there.
      void queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      end(true);
    });
  }, [org, end]);
  useEffect(() => onOrgMismatch(() => askAfter(setOther, waiting)), []);
  return <OtherOrgDialog other={other} end={end} />;
}

/** Asks the platform which org the session has, then the user. Resolves to whether the session is back in the org of the tab. */
async function askAfter(
  setOther: (other: Other) => void,
  waiting: { current: ((isBack: boolean) => void) | undefined },
): Promise<boolean> {
  const { org } = await call('readMe', { mayBeSignedOut: true });
  return new Promise((resolve) => {
    waiting.current = resolve;
    setOther({ code: org.code });
  });
}
