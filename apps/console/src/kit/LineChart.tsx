import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import { writeNumber } from '../words/formats.ts';
import { kitWords as words } from '../words/kit.ts';
import { writeTime } from '../words/times.ts';
import styles from './values.module.css';

interface ChartSeries {
  label: string;
  values: readonly number[];
  tone: 'good' | 'bad' | 'busy' | 'warn';
  /** Whether values are levels, of which the legend names the last instead of the sum. */
  isLevel?: boolean;
}

interface ChartProps {
  /** Describes the chart to screen readers. */
  label: string;
  /** The period that the legend names, with sums and last levels, unless the reader points at a time. */
  period: string;
  timesMs: readonly number[];
  /** Plots below one another on one time axis, each with its own scale. */
  panels: readonly (readonly ChartSeries[])[];
  /** Gets the times between which the reader drags. */
  onZoom: (fromMs: number, toMs: number) => void;
}

const MILLISECONDS = 1_000;
const DAY_SECONDS = 86_400;
const HEIGHT_PX = 96;
/** The height of a panel with several series. */
const MAIN_HEIGHT_PX = 160;
/** The distances between the labels of an axis of counts. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, digits) => [1, 2, 5].map((step) => step * 10 ** digits)).flat();
const NOTHING_SELECTED = { left: 0, top: 0, width: 0, height: 0 };

const heightOf = (series: readonly unknown[]) => (series.length > 1 ? MAIN_HEIGHT_PX : HEIGHT_PX);

/**
 * Draws areas over time with uPlot. Load it lazily, and say what matters in text beside it. Redraws when the data, the
 * theme or the width changes; the lines stay the same.
 */
export default function LineChart(props: ChartProps) {
  const { label, panels } = props;
  const frame = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const plots = useRef<uPlot[]>([]);
  const latest = useRef(props);
  latest.current = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another color scheme draws it anew.
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    let isGone = false;
    const watch = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width === 0) return;
      for (const [place, plot] of plots.current.entries()) {
        plot.setSize({ width, height: heightOf(latest.current.panels[place]!) });
      }
    });
    void loadPlot().then((Plot) => {
      if (isGone) return;
      plots.current = latest.current.panels.map((_, place) => {
        const options = describe(place, latest, element.clientWidth);
        return new Plot(options, dataOf(latest.current, place), element);
      });
      watch.observe(element);
    });
    return () => {
      isGone = true;
      watch.disconnect();
      for (const plot of plots.current) plot.destroy();
      plots.current = [];
    };
  }, [scheme]);
  useEffect(() => {
    for (const [place, plot] of plots.current.entries()) plot.setData(dataOf(latest.current, place));
  });

  const minHeight = panels.reduce((sum, series) => sum + heightOf(series), 0);
  return <div ref={frame} className={styles.chart} role="img" aria-label={label} style={{ minHeight }} />;
}

function dataOf({ timesMs, panels }: ChartProps, place: number): uPlot.AlignedData {
  return [timesMs.map((timeMs) => timeMs / MILLISECONDS), ...panels[place]!.map(({ values }) => [...values])];
}

/** The options of a plot, by its place among those of the chart. `latest`: what the chart got last. */
function describe(place: number, latest: { readonly current: ChartProps }, width: number): uPlot.Options {
  const { panels } = latest.current;
  const series = panels[place]!;
  const write = (value: number) => writeNumber(value, 1);
  const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const grid = { stroke: color('mantine-color-default-border'), width: 1 };
  const axis = { stroke: color('mantine-color-dimmed'), grid, ticks: { show: false } };
  const writeTick = (seconds: number, step: number) => {
    const text = writeTime(seconds * MILLISECONDS, 'local');
    return step >= DAY_SECONDS ? text.slice(5, 10) : text.slice(11, 16);
  };
  const select = (plot: uPlot) => {
    const [from, to] = [plot.select.left, plot.select.left + plot.select.width].map((left) => plot.posToVal(left, 'x'));
    plot.setSelect(NOTHING_SELECTED, false);
    // The plots of a chart share the reader's pointer: one of them tells.
    if (place === 0 && from! < to!) latest.current.onZoom(from! * MILLISECONDS, to! * MILLISECONDS);
  };
  return {
    width,
    height: heightOf(series),
    cursor: { sync: { key: 'chart' }, drag: { x: true, y: false, setScale: false } },
    hooks: { setSelect: [select] },
    legend: { live: true },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      place === panels.length - 1
        ? {
            ...axis,
            space: 70,
            size: 28,
            values: (_, ticks, __, ___, step) => ticks.map((tick) => writeTick(tick, step)),
          }
        : { ...axis, space: 70, size: 8, values: (_, ticks) => ticks.map(() => '') },
      { ...axis, size: 60, space: 18, incrs: WHOLE_STEPS, values: (_, ticks) => ticks.map((tick) => write(tick)) },
    ],
    series: [
      {
        label: words.time,
        value: (_, seconds) =>
          seconds === null ? latest.current.period : writeTime(seconds * MILLISECONDS, 'local').slice(0, 16),
      },
      ...series.map(({ label, tone, isLevel }) => ({
        label,
        stroke: color(`ls-line-${tone}`),
        fill: `${color(`ls-line-${tone}`)}26`,
        width: 1.5,
        points: { space: 24 },
        // Without a value, the pointer is outside the chart.
        value: (_: uPlot, value: number | null, at: number) =>
          write(
            value ??
              latest.current.panels[place]![at - 1]!.values.reduce((sum, each) => (isLevel ? each : sum + each), 0),
          ),
      })),
    ],
  };
}

/**
 * Loads uPlot. On import it passes the browser's language to Intl, which throws if that is a POSIX name such as `en-
 * US@posix`. It gets English, because it writes no numbers itself.
 */
async function loadPlot() {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  try {
    return (await import('uplot')).default;
  } finally {
    // Uncovers the browser's own property.
    Reflect.deleteProperty(navigator, 'language');
  }
}
