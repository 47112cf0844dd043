import { SignIn, useSession, useWorkspaces } from '@freehold/react';
import { useEffect, useRef } from 'react';
import { NewTicket } from './new-ticket.tsx';
import { TicketList } from './ticket-list.tsx';
import { TicketPage } from './ticket-page.tsx';
import { useHash } from './use-hash.ts';

export function HelpDesk() {
  const { session } = useSession();
  if (session === undefined)
    return (
      <main className="entrance">
        <p className="brand">Help desk</p>
        <SignIn onSignedIn={() => location.replace('#/')}>
          <p className="hint">The terminal that runs this example prints who may sign in, and the password.</p>
        </SignIn>
      </main>
    );
  return (
    <>
      <Header email={session.email} />
      <main>{session.tenantCode === null ? <NoWorkspace /> : <Screen key={session.tenantCode} />}</main>
    </>
  );
}

function Header({ email }: { readonly email: string }) {
  const { signOut } = useSession();
  return (
    <header className="bar">
      <a className="brand" href="#/">
        Help desk
      </a>
      <WorkspaceSwitch />
      <span className="grow" />
      <span className="who">{email}</span>
      <button type="button" onClick={() => void signOut()}>
        Sign out
      </button>
    </header>
  );
}

/** Another workspace has other tickets: the one that is open is left. */
function WorkspaceSwitch() {
  const { workspaces, current, switchTo } = useWorkspaces();
  const mine = workspaces.data ?? [];
  if (mine.length < 2) return <span className="workspace">{mine[0]?.name}</span>;
  return (
    <label className="workspace">
      Workspace
      <select
        value={current}
        onChange={(event) => {
          location.hash = '#/';
          void switchTo(event.target.value);
        }}
      >
        {mine.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function NoWorkspace() {
  return (
    <section className="card">
      <h1>No workspace yet</h1>
      <p>Ask an admin of a help desk to invite you.</p>
    </section>
  );
}

function Screen() {
  const { path } = useHash();
  const [first, id] = path;
  useFocusOnChange(path.join('/'));
  if (first === 'tickets' && id !== undefined) return <TicketPage key={id} id={id} />;
  if (first === 'new') return <NewTicket />;
  return <TicketList />;
}

/** Moves the focus to the heading of a screen that the user has gone to, which a screen reader then reads. */
function useFocusOnChange(place: string): void {
  const before = useRef(place);
  useEffect(() => {
    if (before.current === place) return;
    before.current = place;
    document.querySelector<HTMLElement>('main h1')?.focus();
  }, [place]);
}
