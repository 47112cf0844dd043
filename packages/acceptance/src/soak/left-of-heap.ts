/** How the line begins by which a platform under soak tells how many bytes of its heap a collection has left. */
export const leftOfHeap = 'left of the heap: ';
