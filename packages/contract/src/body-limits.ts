/** The largest body of a batch: O5 and its preview. */
export const MAX_BATCH_BYTES = 32 * 1024 * 1024;
/** The largest form of the token endpoint. */
export const MAX_FORM_BYTES = 16 * 1024;
/** The largest body of every other call of the interface. */
export const MAX_BODY_BYTES = 1024 * 1024;
