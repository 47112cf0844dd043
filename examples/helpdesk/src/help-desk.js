import { Fragment as _Fragment, jsx as _jsx, jsxs as _jsxs } from "react/jsx-runtime";
import { SignIn, useSession, useWorkspaces } from '@freehold/react';
import { useEffect, useRef } from 'react';
import { NewTicket } from './new-ticket.tsx';
import { TicketList } from './ticket-list.tsx';
import { TicketPage } from './ticket-page.tsx';
import { useHash } from './use-hash.ts';
export function HelpDesk() {
    const { session } = useSession();
    if (session === undefined)
        return (_jsxs("main", { className: "entrance", children: [_jsx("p", { className: "brand", children: "Help desk" }), _jsx(SignIn, { onSignedIn: () => location.replace('#/'), children: _jsx("p", { className: "hint", children: "The terminal that runs this example prints who may sign in, and the password." }) })] }));
    return (_jsxs(_Fragment, { children: [_jsx(Header, { email: session.email }), _jsx("main", { children: session.tenantCode === null ? _jsx(NoWorkspace, {}) : _jsx(Screen, {}, session.tenantCode) })] }));
}
function Header({ email }) {
    const { signOut } = useSession();
    return (_jsxs("header", { className: "bar", children: [_jsx("a", { className: "brand", href: "#/", children: "Help desk" }), _jsx(WorkspaceSwitch, {}), _jsx("span", { className: "grow" }), _jsx("span", { className: "who", children: email }), _jsx("button", { type: "button", onClick: () => void signOut(), children: "Sign out" })] }));
}
/** Another workspace has other tickets: the one that is open is left. */
function WorkspaceSwitch() {
    const { workspaces, current, switchTo } = useWorkspaces();
    const mine = workspaces.data ?? [];
    if (mine.length < 2)
        return _jsx("span", { className: "workspace", children: mine[0]?.name });
    return (_jsxs("label", { className: "workspace", children: ["Workspace", _jsx("select", { value: current, onChange: (event) => {
                    location.hash = '#/';
                    void switchTo(event.target.value);
                }, children: mine.map(({ code, name }) => (_jsx("option", { value: code, children: name }, code))) })] }));
}
function NoWorkspace() {
    return (_jsxs("section", { className: "card", children: [_jsx("h1", { children: "No workspace yet" }), _jsx("p", { children: "Ask an admin of a help desk to invite you." })] }));
}
function Screen() {
    const { path } = useHash();
    const [first, id] = path;
    useFocusOnChange(path.join('/'));
    if (first === 'tickets' && id !== undefined)
        return _jsx(TicketPage, { id: id }, id);
    if (first === 'new')
        return _jsx(NewTicket, {});
    return _jsx(TicketList, {});
}
/** Moves the focus to the heading of a screen that the user has gone to, which a screen reader then reads. */
function useFocusOnChange(place) {
    const before = useRef(place);
    useEffect(() => {
        if (before.current === place)
            return;
        before.current = place;
        document.querySelector('main h1')?.focus();
    }, [place]);
}
