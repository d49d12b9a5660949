// SPDX-License-Identifier: LGPL-2.1-or-later
// Draws PANELS with dygraphs: one range of time for all of them, a click moves the page's films.
const COLOURS = ['#111111', '#d1740f', '#2a8c4a', '#1f6fb4'];
const PAIR = ['#111111', '#c23b3b', '#1f6fb4'];
const graphs = [];
let following = false;

function bars (e) {
  const c = e.drawingContext;
  c.fillStyle = e.color;
  const width = Math.max(1.5, e.plotArea.w / Math.max(e.points.length, 1) * 0.8);
  const ground = e.dygraph.toDomYCoord (0);
  for (const p of e.points)
    if (p.yval)
      c.fillRect (p.canvasx - width / 2, p.canvasy, width, ground - p.canvasy);
}

function follow (graph, first) {
  if (first || following)
    return;
  following = true;
  for (const other of graphs)
    if (other !== graph)
      other.updateOptions ({ dateWindow: graph.xAxisRange () });
  following = false;
}

function point (graph, row) {
  for (const other of graphs)
    if (other !== graph)
      row === null ? other.clearSelection () : other.setSelection (row);
}

function seek (x) {
  for (const film of document.querySelectorAll ('video'))
    film.currentTime = Math.max (0, x - FILM_OFFSET);
}

function figure (panel, v) {
  if (panel.names)
    return panel.names[Math.round (v)] || '';
  return (Math.abs (v) >= 100 ? v.toFixed (0) : v.toFixed (2)) + ' ' + panel.unit;
}

function decades (min, max) {
  const found = [];
  for (let v = 1; v <= max * 1.01; v *= 10)
    for (const [n, f] of [1, 2, 5].entries ())
      if (v * f >= min * 0.99 && v * f <= max * 1.01)
        found.push ({ v: v * f, label: n === 1 ? '' : String (v * f) });
  return found;
}

function series (panel) {
  const found = {};
  for (const name of panel.labels.slice (1)) {
    found[name] = {};
    if ((panel.steps || []).includes (name) || panel.names)
      found[name].stepPlot = true;
    if ((panel.points || []).includes (name))
      Object.assign (found[name], { strokeWidth: 0, drawPoints: true, pointSize: 2.5, color: '#c23b3b' });
    if (panel.bars)
      found[name].plotter = bars;
  }
  return found;
}

function draw (panel, n) {
  const few = panel.labels.length <= 3;
  const y = {};
  if (panel.names)
    y.ticker = () => panel.names.map ((label, v) => ({ v, label }));
  else if (panel.log)
    y.ticker = decades;
  const graph = new Dygraph (document.getElementById ('plot' + n), panel.rows, {
    labels: panel.labels,
    labelsDiv: document.getElementById ('legend' + n),
    legend: 'always',
    series: series (panel),
    colors: panel.pair ? PAIR.slice (3 - panel.labels.length + 1) : few ? ['#1f6fb4', '#c23b3b'] : panel.labels.length === 4 ? ['#c23b3b', '#1f6fb4', '#999999'] : COLOURS,
    logscale: !!panel.log,
    includeZero: !panel.log && panel.unit !== 'dB',
    valueRange: panel.names ? [-0.5, panel.names.length - 0.5] : null,
    connectSeparatedPoints: false,
    strokeWidth: 1.4,
    drawGapEdgePoints: true,
    highlightCircleSize: 3,
    axisLabelFontSize: 12,
    xRangePad: 4,
    axes: { y: Object.assign (y, { axisLabelWidth: panel.names ? 90 : 60, valueFormatter: v => figure (panel, v) }),
            x: { valueFormatter: v => v.toFixed (1) + ' s', axisLabelFormatter: v => v + ' s' } },
    drawCallback: follow,
    highlightCallback: (event, x, points, row) => point (graph, row),
    unhighlightCallback: () => point (graph, null),
    clickCallback: (event, x) => seek (x),
  });
  graphs.push (graph);
}

PANELS.forEach (draw);
