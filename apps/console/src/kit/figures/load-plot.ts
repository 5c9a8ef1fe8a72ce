/**
 * Loads uPlot. On import it passes the browser's language to Intl, which throws if that is a POSIX name such as `en-
 * US@posix`.
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

/** Reports English as the browser's language while uPlot is imported. Returns a function that restores it. */
function shadowLanguage(): () => void {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  return () => {
    // Uncovers the browser's own property.
    Reflect.deleteProperty(navigator, 'language');
  };
}
