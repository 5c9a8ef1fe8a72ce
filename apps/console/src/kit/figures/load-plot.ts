/**
 * Loads uPlot. It asks Intl for the browser's language as soon as it is imported, and fails where that is a name of the
 * operating system instead, such as `en-US@posix`.
 */
export async function loadPlot() {
  const shadowed = isKnownToIntl(navigator.language) ? undefined : shadowLanguage();
  try {
    return (await import('uplot')).default;
  } finally {
    shadowed?.();
  }
}

function isKnownToIntl(language: string): boolean {
  try {
    new Intl.NumberFormat(language);
    return true;
  } catch {
    return false;
  }
}

/** Has this page call the language English while uPlot is imported. Returns what ends that. */
function shadowLanguage(): () => void {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  return () => {
    // The browser's own property, which stands behind this one, shows again.
    Reflect.deleteProperty(navigator, 'language');
  };
}
