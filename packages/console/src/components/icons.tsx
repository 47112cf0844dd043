import type { ReactNode } from 'react';

interface Props {
  readonly size?: number;
}

/** Icons of one weight, drawn here: a set from outside has thousands. All are decoration beside words. */
function icon(shape: ReactNode) {
  return function Icon({ size = 16 }: Props) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.4}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {shape}
      </svg>
    );
  };
}

export const HomeIcon = icon(<path d="M2.5 7.5 8 2.8l5.5 4.7M4 6.4v6.8h3V9.8h2v3.4h3V6.4" />);
export const CopyIcon = icon(<path d="M5.5 5.5V3h7.5v7.5h-2.5M3 5.5h7.5V13H3z" />);
export const EditIcon = icon(<path d="M3 13l.6-2.8L10.9 3l2.1 2.1-7.3 7.3zM9.4 4.5l2.1 2.1" />);
export const CheckIcon = icon(<path d="m3 8.5 3.2 3.2L13 4.8" />);
export const CircleIcon = icon(<circle cx="8" cy="8" r="5.2" />);
export const SearchIcon = icon(<path d="M7 2.6a4.4 4.4 0 1 1 0 8.8 4.4 4.4 0 0 1 0-8.8zM10.2 10.2l3.2 3.2" />);
export const SunIcon = icon(
  <path d="M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9" />,
);
export const MoonIcon = icon(<path d="M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z" />);
export const UserIcon = icon(
  <path d="M8 2.6a2.7 2.7 0 1 1 0 5.4 2.7 2.7 0 0 1 0-5.4zM2.8 13.6a5.2 5.2 0 0 1 10.4 0" />,
);
export const UsersIcon = icon(
  <path d="M6 3a2.3 2.3 0 1 1 0 4.6A2.3 2.3 0 0 1 6 3zM1.6 13a4.4 4.4 0 0 1 8.8 0M10.6 3.3a2.2 2.2 0 0 1 0 4.1M12 9.4a4 4 0 0 1 2.4 3.6" />,
);
export const SimulatorIcon = icon(<path d="M6 2.6h4M7 2.6v4L3 13.2h10L9 6.6v-4M5 10h6" />);
export const LabIcon = icon(<path d="M8 2.6a5.4 5.4 0 1 1-5.2 4M2.6 3.2v3.4H6M8 5.4V8l2 1.4" />);
export const DenialIcon = icon(<path d="M8 2.6a5.4 5.4 0 1 1 0 10.8A5.4 5.4 0 0 1 8 2.6zM4.2 4.2l7.6 7.6" />);
export const LeaveIcon = icon(<path d="M6.5 3H3v10h3.5M6.5 8H13M10.5 5.2 13.3 8l-2.8 2.8" />);
export const SwapIcon = icon(<path d="M3 5.5h9M9.8 3 12.3 5.5 9.8 8M13 10.5H4M6.2 8 3.7 10.5 6.2 13" />);
export const ChevronIcon = icon(<path d="m4.5 6.3 3.5 3.5 3.5-3.5" />);
export const EntityIcon = icon(<path d="M2.8 3h10.4v3.2H2.8zM2.8 6.2v6.8h10.4V6.2M6.4 6.2V13" />);
export const ApiIcon = icon(<path d="M5.2 4.5 1.8 8l3.4 3.5M10.8 4.5 14.2 8l-3.4 3.5M9.2 3.2 6.8 12.8" />);
export const DeployIcon = icon(<path d="M8 11V3M4.8 6 8 2.8 11.2 6M3 10.2v3h10v-3" />);
export const SlidersIcon = icon(
  <path d="M2.8 4.5h5M11 4.5h2.2M2.8 11.5h2.4M8.4 11.5h4.8M9.4 2.9a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2zM6.8 9.9a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2z" />,
);
export const SettingsIcon = icon(
  <path d="M8 5.6a2.4 2.4 0 1 1 0 4.8 2.4 2.4 0 0 1 0-4.8zM8 1.8v1.9M8 12.3v1.9M1.8 8h1.9M12.3 8h1.9M3.6 3.6 5 5M11 11l1.4 1.4M3.6 12.4 5 11M11 5l1.4-1.4" />,
);
export const RecordsIcon = icon(<path d="M2.8 3h10.4v10H2.8zM2.8 6.3h10.4M2.8 9.7h10.4M6 6.3V13" />);
export const LockIcon = icon(<path d="M4 7.2h8v6H4zM5.6 7.2V5.4a2.4 2.4 0 0 1 4.8 0v1.8" />);
export const FilterIcon = icon(<path d="M2.5 3.5h11L9.3 8.6v4.6l-2.6-1.4V8.6z" />);
export const RefreshIcon = icon(<path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.6v3h-3" />);
export const CloseIcon = icon(<path d="m4 4 8 8M12 4l-8 8" />);
export const PolicyIcon = icon(<path d="M8 2.4 12.8 4v3.6c0 3-2 5-4.8 6-2.8-1-4.8-3-4.8-6V4zM6 7.9l1.5 1.5 2.7-2.9" />);
export const GroupIcon = icon(
  <path d="M6 3.2a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4zM2 12.8a4 4 0 0 1 8 0M10.4 3.6a2 2 0 0 1 0 3.8M11.4 9.2a3.9 3.9 0 0 1 2.6 3.6" />,
);
export const AuditIcon = icon(<path d="M3.5 2.6h9v10.8h-9zM6 5.6h4M6 8h4M6 10.4h2.4" />);
export const UsageIcon = icon(<path d="M2.8 13.2h10.4M4.4 10.6V7.8M8 10.6V3.4M11.6 10.6V5.8" />);
export const TeamIcon = icon(
  <path d="M8 3a2.2 2.2 0 1 1 0 4.4A2.2 2.2 0 0 1 8 3zM4 13a4 4 0 0 1 8 0M2.6 5.6v3M1.2 7.1h2.8" />,
);
export const KeyIcon = icon(
  <path d="M5.4 7.4a2.9 2.9 0 1 1 0 5.8 2.9 2.9 0 0 1 0-5.8zM7.6 8.4l5.2-5.2M10.6 5.4l1.9 1.9" />,
);
export const WorkspaceIcon = icon(
  <path d="M3 13.2V4.6L8 2.6l5 2v8.6M2 13.2h12M6 6.4h.01M10 6.4h.01M6 9.2h.01M10 9.2h.01M7 13.2v-1.8h2v1.8" />,
);
export const EventIcon = icon(<path d="M9 2 3.8 9H8l-1 5 5.2-7H8z" />);
export const HookIcon = icon(<path d="M2.5 8h7M6.7 5.2 9.5 8l-2.8 2.8M9.5 3h4v10h-4" />);
export const SecretIcon = icon(
  <path d="M5.4 7.2a3.2 3.2 0 1 1 0 6.4 3.2 3.2 0 0 1 0-6.4zM7.7 8.1l5.5-5.5M10.4 5.4l2 2" />,
);
export const BlockIcon = icon(<path d="M2.8 3.2h4.8v3.4H2.8zM8.4 9.4h4.8v3.4H8.4zM5.2 6.6v4.5h3.2" />);
export const RunIcon = icon(<path d="M8 2.6a5.4 5.4 0 1 1 0 10.8A5.4 5.4 0 0 1 8 2.6zM6.8 5.8v4.4L10.2 8z" />);
export const ClockIcon = icon(<path d="M8 2.6a5.4 5.4 0 1 1 0 10.8A5.4 5.4 0 0 1 8 2.6zM8 5v3.2l2.2 1.4" />);
