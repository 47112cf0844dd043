import type { ReactNode } from 'react';
import { TypedConfirmation } from '../../../components/typed-confirmation.tsx';

interface Props {
  readonly email: string;
  readonly work: Parameters<typeof TypedConfirmation>[0]['work'] & { readonly reset: () => void };
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks once more before a person is erased, by the email. */
export function EraseDialog({ email, work, onClose, children }: Props) {
  return (
    <TypedConfirmation
      title="Erase this person?"
      name={email}
      what="account"
      action="Erase the person"
      work={work}
      onClose={() => {
        onClose();
        work.reset();
      }}
    >
      {children}
    </TypedConfirmation>
  );
}
