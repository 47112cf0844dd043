import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import classes from './operations.module.css';

interface Props {
  /** Its path below `/operations`. */
  readonly screen: string;
  /** The subject of the screen, where it is about one thing. */
  readonly item?: string;
  readonly search?: Readonly<Record<string, string | undefined>>;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A link within the area: a screen of it, or one thing on that screen. */
export function OperationsLink({ screen, item, search = {}, className = classes.link ?? '', children }: Props) {
  return (
    <Link to="/operations/{-$screen}/{-$item}" params={{ screen, item }} search={search as never} className={className}>
      {children}
    </Link>
  );
}
