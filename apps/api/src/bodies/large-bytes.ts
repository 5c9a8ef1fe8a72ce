/**
 * Allocates bytes that go back to the operating system when freed. Memory of Buffer comes from a heap that keeps freed
 * memory: large bodies leave holes there, and the process never shrinks. Resizable memory lies outside that heap.
 */
export function allocateLarge(length: number): Buffer {
  return Buffer.from(new ArrayBuffer(length, { maxByteLength: length }), 0, length);
}

/** Frees the memory of bytes that are no longer read, without waiting for garbage collection. */
export function freeBytes({ buffer }: Uint8Array): void {
  (buffer as ArrayBuffer).transfer(0);
}
