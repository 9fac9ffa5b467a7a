"""Laws, friction, from points to wrenches, rigid walls, routines of the user."""
