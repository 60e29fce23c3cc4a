&[
    ("chunk-KEW22LXB.js", include_bytes!("chunk-KEW22LXB.js")),
    ("editor-KESX7ZOV.js", include_bytes!("editor-KESX7ZOV.js")),
    ("icon-3c3e8878.svg", include_bytes!("icon-3c3e8878.svg")),
    ("index.html", include_bytes!("index.html")),
    ("page-N5RLIGJL.js", include_bytes!("page-N5RLIGJL.js")),
    ("style-EGG4ZSBG.css", include_bytes!("style-EGG4ZSBG.css")),
]
