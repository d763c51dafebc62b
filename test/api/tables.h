// SPDX-License-Identifier: MIT

// The headers that have rows, and the functions that add them. A line for each.

TABLE("adapt", Rows_Adapt)
TABLE("base", Rows_Base)
TABLE("cloth", Rows_Cloth)
TABLE("cloth", Rows_Frame)
TABLE("cloth", Rows_Live)
TABLE("collider", Rows_Collider)
TABLE("column", Rows_Column)
TABLE("constraint", Rows_Constraint)
TABLE("contact", Rows_Contact)
TABLE("filter", Rows_Filter)
TABLE("io", Rows_Io)
TABLE("material", Rows_Material)
TABLE("mesh", Rows_Mesh)
TABLE("model", Rows_Model)
TABLE("motion", Rows_Motion)
TABLE("pattern", Rows_Pattern)
TABLE("pin", Rows_Pin)
TABLE("query", Rows_Query)
TABLE("solver", Rows_Solver)
TABLE("stats", Rows_Stats)
TABLE("teleport", Rows_Teleport)
TABLE("transform", Rows_Transform)
TABLE("untangle", Rows_Untangle)
TABLE("vertex", Rows_Vertex)
TABLE("vertices", Rows_Vertices)
TABLE("wind", Rows_Wind)
TABLE("world", Rows_World)
#ifdef API_HAS_SCENES
TABLE("scene", Rows_Scene)
#endif
#ifdef API_HAS_RENDER
TABLE("render", Rows_Render)
#endif
