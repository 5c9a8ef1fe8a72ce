const SHOWN_DIGITS = 4;

/** Hides a security mobile number except for its last digits; hides a short number completely. */
export function hideMobile(mobile: string): string {
  const shown = mobile.length > SHOWN_DIGITS ? mobile.slice(-SHOWN_DIGITS) : '';
  return '•'.repeat(mobile.length - shown.length) + shown;
}
