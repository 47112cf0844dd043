import { Modal, type ModalProps } from '@mantine/core';
import { useEffect, useRef } from 'react';

/**
 * A dialog that is open as long as it is drawn. The library gives the focus back to what had it before where a dialog is
 * closed, and not where it is taken away.
 */
export function Dialog(props: Omit<ModalProps, 'opened'>) {
  const opener = useRef(document.activeElement);
  useEffect(() => {
    const { current } = opener;
    return () => {
      // Once the dialog has left the page. A screen that opens next may have the focus by then.
      setTimeout(() => {
        if (document.activeElement === document.body && current instanceof HTMLElement)
          current.focus({ preventScroll: true });
      });
    };
  }, []);
  return <Modal opened {...props} />;
}
