
"use strict";
// The search of the report: type-ahead over all files that the index covers. The
// index is one string with a line a file, and a search is a search in that string.
(() => {
	const maxShown = 200;
	const form = document.getElementById("search-form");
	const query = document.getElementById("query");
	const verdict = document.getElementById("verdict");
	const section = document.getElementById("section");
	const status = document.getElementById("search-status");
	const list = document.getElementById("results");
	let index = null;

	// inflate returns the text of the index: deflated, in base64.
	async function inflate(base64) {
		const binary = atob(base64);
		const bytes = new Uint8Array(binary.length);
		for (let i = 0; i < binary.length; i++) {
			bytes[i] = binary.charCodeAt(i);
		}
		const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
		return new Response(stream).text();
	}

	// Case and ways to compose a letter are to make no difference.
	const fold = (text) => text.toLowerCase().normalize("NFC");

	// startsOf returns where each of a number of lines begins, and where the last ends.
	function startsOf(text, count) {
		const starts = new Uint32Array(count + 1);
		for (let i = 0, at = 0; i < count; i++) {
			at = text.indexOf("\n", at) + 1;
			starts[i + 1] = at;
		}
		return starts;
	}

	// read takes the index apart: a line of JSON, a line a file of what is searched, an
	// empty line, and a line a file of what is only shown.
	function read(text) {
		const headEnd = text.indexOf("\n") + 1;
		const head = JSON.parse(text.slice(0, headEnd));
		const count = head.count;
		const partEnd = count > 0 ? text.indexOf("\n\n", headEnd) + 1 : headEnd;
		const names = text.slice(headEnd, partEnd);
		const facts = text.slice(partEnd + 1);
		const factStarts = startsOf(facts, count);
		const verdicts = new Uint8Array(count);
		const sections = new Uint16Array(count);
		for (let i = 0; i < count; i++) {
			let at = factStarts[i], digit;
			for (; (digit = facts.charCodeAt(at)) !== 32; at++) {
				verdicts[i] = verdicts[i] * 10 + digit - 48;
			}
			for (at++; (digit = facts.charCodeAt(at)) !== 32; at++) {
				sections[i] = sections[i] * 10 + digit - 48;
			}
		}
		// Paths are searched with the slash that they have in URLs.
		const folded = "/" + fold(names).replaceAll("\n", "\n/");
		return {
			base: head.base, foldedBase: fold(head.base), verdictNames: head.verdicts, sectionNames: head.sections,
			count, names, facts, folded, verdicts, sections,
			nameStarts: startsOf(names, count), factStarts, foldedStarts: startsOf(folded, count),
		};
	}

	// words returns what is searched for, the longest word first: the rarest, mostly. Of
	// a whole URL it is the part that follows the base URL.
	function words() {
		const host = index.foldedBase.replace(/^https?:\/\//, "");
		const all = fold(query.value).split(/\s+/).filter((word) => word !== "").map((word) => {
			for (const prefix of [index.foldedBase, host]) {
				if (word.startsWith(prefix)) {
					return "/" + word.slice(prefix.length);
				}
			}
			return word;
		});
		return all.sort((a, b) => b.length - a.length);
	}

	// lineAt returns the line that has a position, at or after another line. It looks at
	// lines nearby first: mostly it is the next one.
	function lineAt(position, line) {
		const starts = index.foldedStarts;
		let low = line, step = 1;
		while (low + step < index.count && starts[low + step] <= position) {
			low += step;
			step *= 2;
		}
		let high = Math.min(low + step, index.count);
		while (low + 1 < high) {
			const middle = (low + high) >> 1;
			if (starts[middle] <= position) {
				low = middle;
			} else {
				high = middle;
			}
		}
		return low;
	}

	// find returns the number of files that match, and the first of them.
	function find() {
		const {folded, foldedStarts, verdicts, sections} = index;
		const [first = "", ...others] = words();
		const wantedVerdict = verdict.value === "" ? -1 : index.verdictNames.indexOf(verdict.value);
		const wantedSection = section.value === "" ? -1 : index.sectionNames.indexOf(section.value);
		const listed = index.verdictNames.indexOf("listed");
		let count = 0;
		const shown = [];
		for (let line = 0; line < index.count; line++) {
			if (first !== "") {
				const at = folded.indexOf(first, foldedStarts[line]);
				if (at < 0) {
					break;
				}
				line = lineAt(at, line);
			}
			if (wantedVerdict >= 0 && verdicts[line] !== wantedVerdict) {
				continue;
			}
			if (wantedSection >= 0 && (sections[line] !== wantedSection || verdicts[line] !== listed)) {
				continue;
			}
			if (others.length > 0) {
				const text = folded.slice(foldedStarts[line], foldedStarts[line + 1]);
				if (!others.every((word) => text.includes(word))) {
					continue;
				}
			}
			if (++count <= maxShown) {
				shown.push(line);
			}
		}
		return {count, shown};
	}

	// element returns an element with a text, which is never taken for markup.
	function element(name, className, text) {
		const made = document.createElement(name);
		made.className = className;
		made.textContent = text;
		return made;
	}

	// item returns what is shown of a file.
	function item(line) {
		const [path, ownURL] = index.names.slice(index.nameStarts[line], index.nameStarts[line + 1] - 1).split("\t");
		const [fields, detail] = index.facts.slice(index.factStarts[line], index.factStarts[line + 1] - 1).split("\t");
		const [, , length, date] = fields.split(" ");
		const name = index.verdictNames[index.verdicts[line]];
		const li = document.createElement("li");
		const facts = [];
		if (name === "listed") {
			const rest = ownURL === undefined ? path.slice(0, Number(length)) : ownURL;
			const url = /^https?:\/\//.test(rest) ? rest : index.base + rest;
			const link = element("a", "path", path || url);
			link.href = url;
			link.target = "_blank";
			link.rel = "noopener noreferrer";
			li.append(link);
			if (path !== "" && path !== rest) {
				facts.push("listed as /" + rest);
			}
			facts.push("section " + index.sectionNames[index.sections[line]]);
			facts.push(date === "" ? "no lastmod" : "lastmod " + date.replace("T", " "));
		} else {
			li.append(element("span", "path", path));
			facts.push("left out: " + name);
		}
		if (detail !== undefined) {
			facts.push(detail);
		}
		li.firstChild.tabIndex = -1;
		li.append(element("p", "", facts.join(" · ")));
		return li;
	}

	const number = (n) => n.toLocaleString("en");

	function search() {
		if (query.value.trim() === "" && verdict.value === "" && section.value === "") {
			status.textContent = number(index.count) + (index.count === 1 ? " file" : " files");
			list.replaceChildren();
			return;
		}
		const {count, shown} = find();
		status.textContent = (count === 1 ? "1 file" : number(count) + " files") +
			(count > shown.length ? "; the first " + shown.length + " are shown" : "");
		list.replaceChildren(...shown.map(item));
		list.scrollTop = 0;
		if (shown.length > 0) {
			targets()[0].tabIndex = 0;
		}
	}

	// targets are what the focus can go to, of each result. Only one of them is in the
	// order of the Tab key, so that it leads past the results as well as into them.
	const targets = () => Array.from(list.children, (li) => li.firstChild);

	function focus(target) {
		for (const other of targets()) {
			other.tabIndex = other === target ? 0 : -1;
		}
		target.focus();
	}

	form.addEventListener("keydown", (event) => {
		if (event.key === "Escape") {
			event.preventDefault();
			query.value = verdict.value = section.value = "";
			search();
			query.focus();
			return;
		}
		const all = targets();
		const at = all.indexOf(event.target);
		if (all.length === 0 || at < 0 && event.target !== query) {
			return;
		}
		let to;
		switch (event.key) {
		case "ArrowDown":
			to = all[Math.min(at + 1, all.length - 1)];
			break;
		case "ArrowUp":
			to = at > 0 ? all[at - 1] : query;
			break;
		case "Home":
			to = at < 0 ? undefined : all[0];
			break;
		case "End":
			to = at < 0 ? undefined : all[all.length - 1];
			break;
		}
		if (to === undefined) {
			return;
		}
		event.preventDefault();
		if (to === query) {
			query.focus();
		} else {
			focus(to);
		}
	});

	form.hidden = false;
	const data = document.getElementById("search-index");
	inflate(data.textContent).then((text) => {
		data.remove();
		index = read(text);
		for (const field of [query, verdict, section]) {
			field.addEventListener("input", search);
		}
		search();
	}).catch((problem) => {
		status.textContent = "The search cannot be loaded: " + problem.message;
	});
})();
