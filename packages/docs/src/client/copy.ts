/** A button beside each block of code that copies it. */
export function addCopyButtons(root: ParentNode): void {
  // Pages without a secure origin have no clipboard.
  if (navigator.clipboard === undefined) return;
  for (const pre of root.querySelectorAll('pre')) {
    if (pre.nextElementSibling?.classList.contains('copy') === true) continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', () => void copy(pre.textContent ?? '', button));
    pre.after(button);
  }
}

async function copy(text: string, button: HTMLButtonElement): Promise<void> {
  const isCopied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
  button.textContent = isCopied ? 'Copied' : 'Not copied';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, shownMilliseconds);
}

const shownMilliseconds = 2_000;
