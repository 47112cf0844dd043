import { jsx as _jsx } from "react/jsx-runtime";
export const statuses = ['open', 'waiting', 'closed'];
export function isStatus(text) {
    return statuses.some((status) => status === text);
}
export const priorities = [1, 2, 3, 4, 5];
export function StatusBadge({ status }) {
    return _jsx("span", { className: `badge ${status ?? ''}`, children: status ?? 'unknown' });
}
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const times = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
export function dateOf(value) {
    return value == null ? '–' : dates.format(new Date(value));
}
export function timeOf(value) {
    return value == null ? '–' : times.format(new Date(value));
}
