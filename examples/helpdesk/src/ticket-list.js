import { Fragment as _Fragment, jsx as _jsx, jsxs as _jsxs } from "react/jsx-runtime";
import { useCount, useInfiniteList } from '@freehold/react';
import { useEffect, useState } from 'react';
import { NewTicketLink } from './new-ticket.tsx';
import { Refusal } from './refusal.tsx';
import { dateOf, isStatus, StatusBadge, statuses } from './ticket-parts.tsx';
import { listHash, useHash } from './use-hash.ts';
const orders = {
    newest: { label: 'Newest first', sort: '-number' },
    oldest: { label: 'Oldest first', sort: 'number' },
    changed: { label: 'Last changed first', sort: '-updated_at' },
    urgent: { label: 'Most urgent first', sort: 'priority' },
};
export function TicketList() {
    const { query } = useHash();
    const filters = {
        status: query.get('status') ?? '',
        order: query.get('order') ?? '',
        q: query.get('q') ?? '',
    };
    const where = isStatus(filters.status) ? { status: filters.status } : {};
    const asked = { where, ...(filters.q !== '' && { q: filters.q }) };
    const order = orders[filters.order] ?? orders.newest;
    const tickets = useInfiniteList('ticket', { ...asked, sort: order.sort, pageSize: 25, expand: ['customer_id'] }, { keepPrevious: true });
    const count = useCount('ticket', asked, { keepPrevious: true });
    const shown = tickets.data?.pages.flatMap(({ items }) => items) ?? [];
    return (_jsxs(_Fragment, { children: [_jsxs("div", { className: "title-row", children: [_jsx("h1", { tabIndex: -1, children: "Tickets" }), _jsx("p", { className: "count", role: "status", children: count.data !== undefined && `${count.data} ${count.data === 1 ? 'ticket' : 'tickets'}` }), _jsx(NewTicketLink, {})] }), _jsx(FilterBar, { filters: filters }), _jsx(Refusal, { error: tickets.error }), shown.length > 0 && _jsx(Table, { tickets: shown, isStale: tickets.isPlaceholderData }), tickets.isSuccess && shown.length === 0 && _jsx("p", { className: "empty", children: "No ticket matches." }), tickets.isPending && _jsx("p", { className: "empty", children: "Loading\u2026" }), tickets.hasNextPage && (_jsx("button", { type: "button", className: "more", disabled: tickets.isFetchingNextPage, onClick: () => void tickets.fetchNextPage(), children: "Show more" }))] }));
}
function FilterBar({ filters }) {
    const go = (changes) => location.replace(listHash({ ...filters, ...changes }));
    return (_jsxs("search", { className: "filters", children: [_jsx(SearchBox, { q: filters.q, onSearch: (q) => go({ q }) }, filters.q), _jsxs("label", { children: ["Status", _jsxs("select", { value: filters.status, onChange: (event) => go({ status: event.target.value }), children: [_jsx("option", { value: "", children: "Any" }), statuses.map((status) => (_jsx("option", { children: status }, status)))] })] }), _jsxs("label", { children: ["Order", _jsx("select", { value: filters.order in orders ? filters.order : 'newest', onChange: (event) => go({ order: event.target.value }), children: Object.entries(orders).map(([name, { label }]) => (_jsx("option", { value: name, children: label }, name))) })] })] }));
}
function SearchBox({ q, onSearch }) {
    const [text, setText] = useState(q);
    useEffect(() => setText(q), [q]);
    return (_jsxs("form", { className: "search", onSubmit: (event) => {
            event.preventDefault();
            onSearch(text.trim());
        }, children: [_jsxs("label", { children: ["Words of the subject", _jsx("input", { type: "search", value: text, onChange: (event) => setText(event.target.value) })] }), _jsx("button", { type: "submit", children: "Search" })] }));
}
function Table({ tickets, isStale, }) {
    return (_jsx("div", { className: "table-frame", "aria-busy": isStale, children: _jsxs("table", { children: [_jsx("thead", { children: _jsxs("tr", { children: [_jsx("th", { scope: "col", children: "No." }), _jsx("th", { scope: "col", children: "Subject" }), _jsx("th", { scope: "col", children: "Status" }), _jsx("th", { scope: "col", className: "secondary", children: "Priority" }), _jsx("th", { scope: "col", className: "secondary", children: "Customer" }), _jsx("th", { scope: "col", className: "secondary", children: "Due" })] }) }), _jsx("tbody", { children: tickets.map((ticket) => (_jsxs("tr", { children: [_jsx("td", { className: "number", children: ticket.number }), _jsx("td", { children: _jsx("a", { href: `#/tickets/${ticket.id}`, children: ticket.subject }) }), _jsx("td", { children: _jsx(StatusBadge, { status: ticket.status }) }), _jsx("td", { className: "number secondary", children: ticket.priority }), _jsx("td", { className: "secondary", children: ticket.expand?.customer_id?.name ?? '–' }), _jsx("td", { className: "date secondary", children: dateOf(ticket.due_at) })] }, ticket.id))) })] }) }));
}
