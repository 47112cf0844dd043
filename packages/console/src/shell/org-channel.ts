const channel = new BroadcastChannel('freehold-org');

/** Where the session is now. */
export interface Other {
  /** Undefined after signing out. */
  readonly code: string | undefined;
}

/** Says to the other tabs which org the browser's session belongs to now; undefined after signing out. */
export function announceOrg(code: string | undefined): void {
  channel.postMessage(code ?? '');
}

/** Calls back when another tab has switched the org, or signed out. */
export function onOtherOrg(changed: (code: string | undefined) => void): () => void {
  const listen = ({ data }: MessageEvent<unknown>) => {
    if (typeof data === 'string') changed(data === '' ? undefined : data);
  };
  channel.addEventListener('message', listen);
  return () => channel.removeEventListener('message', listen);
}
